"""The class: one teacher, many students, one shared place in a run.

`plans/` is what a teacher brings, and what is asked. `place.py` says where a class is and
`hidden_run.py` what of a run may be sent by then; `state.py` what an action changes and `views.py`
what browsers get, both pure; `service.py` keeps classes in the database (`kept_answers.py` hands
answers to the learners who gave them). `hub.py` and `room.py` tell all who follow, `ballots.py`
gathers votes on their way; `web/` is the class on the network, `pages/` what people see.
"""
