"""The figures of "Test it yourself".

`shares.py` are counted shares on a law, `band.py` the distance inside the band that chance allows,
`doors.py` the two doors beside p, `texts.py` what whole texts show.
"""
