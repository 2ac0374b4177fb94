"""The class: one teacher, many students, one shared place in a run.

plan, question    what a teacher brings;  questions  what is asked, and the right answer
place, cut        where a class is, and what of a run may be sent by then
state, views      what an action changes, and what the browsers get: pure
service           classes in the database, for the routes and for the teacher's page
hub, room         who follows a class, told from one place;  ballots  votes on their way
routes            the class on the network;  pages/  what students and the presenter see
"""
