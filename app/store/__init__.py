"""What a learner has answered and how far they are. No names, no login, no Streamlit."""
