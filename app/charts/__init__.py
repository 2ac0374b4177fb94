"""Domain objects drawn as Plotly figures. Pure: no state, no models, no Streamlit."""
