"""What the Graph screen shows of a program: one run in three modes, folded into frames.

==============  ==================================================================
options.py      what a run is asked for: program, inputs, calls, passes, guards
running.py      the run: the event logs of the three modes, call by call
words.py        how values, names and ops are written
tracks.py       the fold: one mode's log of one call as entries and running counters
timeline.py     the cursor all modes share: stops, and where each log stands at them
differing.py    where modes part: the first value that is not the eager one
lockstep.py     the frame at a cursor: program, three columns, timeline
pictures.py     the graphs of a run: as computed, drawn, compiled, with values
nodes.py        a graph as rows with lanes, repeats folded, and one node in full
rewrites.py     passes: before and after, what fired, what it changes
backward.py     the tape walked back, the gradient graph, finite differences
buffers.py      who occupies which bytes when, peaks, why a buffer is kept
tape_buffers.py what eager keeps alive, and what of it for the backward
captured.py     segments, guards, breaks and the history of calls
next_call.py    what another call is suggested to be
predicting.py   questions on what comes next, graded
timing.py       measured time: the same calls once more, with nobody watching
exporting.py    node order, DOT, JSON, a numpy script that gives the same numbers
scripting.py    a graph written as that script, which checks itself
session.py      what is looked at: cursor and choices, with actions and a reducer
==============  ==================================================================

Everything here is a pure function of the run and the cursor: stepping back draws the same
frame again. Screens translate words and choose colours; they compute nothing.
"""
