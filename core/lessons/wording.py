"""The words of the quiz, all in one table, as templates that a catalogue can translate.

Numbers are put in where a question is made; none stands here.
"""

from __future__ import annotations

from ..counting import Counted
from ..wording import Said, mark


def untranslated(text: str) -> str:
    """Return the English words."""
    return text


def worded(key: str, **values: object) -> Said:
    """Return the template under ``key`` with its values as text; a whole number may be counted."""
    return Said(WORDS[key], {name: _put(value) for name, value in values.items()})


def _put(value: object) -> object:
    if isinstance(value, Said):
        return value
    return Counted(value) if isinstance(value, int) else str(value)


WORDS: dict[str, str] = {
    "yes": mark("yes"),
    "no": mark("no"),
    "longest": mark("longest"),
    "boundary": mark("boundary"),
    # What the first article asks its readers, and what it corrects.
    "zeros.question": mark("Why can padding with zeros change what comes out?"),
    "zeros.right": mark("A zero is an input like any other: the cell runs and the state moves on"),
    "zeros.wrong.1": mark("The zeros are mixed into the real inputs before the cell runs"),
    "zeros.wrong.2": mark("Zeros are stored with less precision than the real inputs"),
    "zeros.wrong.3": mark("It cannot: a step whose input is zero does nothing"),
    "zeros.why": mark(
        "Padded to {longest}, a sequence of {shortest} is put through {extra} more steps, each of "
        "which may move its state. Here pad gets {wrong} of {checked} checked outputs wrong."
    ),
    "mask.question": mark("A mask makes the padded result right. Why does it save no steps?"),
    "mask.right": mark("A padded step is computed all the same; only then is its result dropped"),
    "mask.wrong.1": mark("Applying the mask takes as long as the steps that it skips"),
    "mask.wrong.2": mark("It does save them, but only for the shortest sequences"),
    "mask.wrong.3": mark("What it saves going forward is spent again on the gradients"),
    "mask.why": mark(
        "pad and pad+mask run {steps} steps each, {real} of them real. To save the others one must "
        "know before a step that nobody needs it: run each sequence for its own length, pack them, "
        "or pad within buckets only."
    ),
    "buckets.question": mark("In which way are buckets a compromise?"),
    "buckets.right": mark(
        "Padding goes on inside a bucket; less of it takes more buckets, so more graphs and calls"
    ),
    "buckets.wrong.1": mark("Their results are only nearly right"),
    "buckets.wrong.2": mark("They work only with equally many sequences in each"),
    "buckets.wrong.3": mark("They save steps in training, but not afterwards"),
    "buckets.why": mark(
        "{k:bucket runs|buckets run} {steps} steps. That saves {saved} against padding all, and "
        "still {waste} of it is padding. It takes {graphs:graph|graphs}. Where the ends belong "
        "depends on the data: the best ends for these cost {optimal}."
    ),
    "standard.question": mark("All the world pads its batches. Is padding alone safe, then?"),
    "standard.right": mark("Only with a mask, or where a filled step provably changes nothing"),
    "standard.wrong.1": mark("Yes, a framework leaves zeros out by itself"),
    "standard.wrong.2": mark("Yes, training makes up for it"),
    "standard.wrong.3": mark("No, a padded batch is wrong whatever one does"),
    "standard.why": mark(
        "On these data pad alone gets {wrong} of {checked} wrong, by up to {error}; with a mask it "
        "gets {masked} wrong."
    ),
    "faster.question": mark("Is a graph that is drawn while it runs always the faster one?"),
    "faster.right": mark("No: it skips padding, but a fixed graph can be optimised and batched"),
    "faster.wrong.1": mark("Yes: fewer steps always take less time"),
    "faster.wrong.2": mark("Yes, wherever there is more than one processor"),
    "faster.wrong.3": mark("No: it runs more steps than a padded batch does"),
    "faster.why": mark(
        "dynamic runs {dynamic} steps, pad {pad}. But dynamic calls the cell {dynamic_calls} "
        "times, for one sequence each, and pad {pad_calls} times for a whole batch. Where all "
        "shapes are equal there is nothing to skip, and what is known beforehand can be fused and "
        "planned."
    ),
    "chainer.question": mark("Chainer is no longer developed. Was define-by-run a wrong turn?"),
    "chainer.right": mark("No: other frameworks took the idea over; a project ended, not the idea"),
    "chainer.wrong.1": mark("Yes: every framework went back to drawing the graph first"),
    "chainer.wrong.2": mark("Yes: recurrent networks cannot be written in it"),
    "chainer.wrong.3": mark("No: Chainer is still what most people use"),
    "chainer.why": mark(
        "Its users were sent on to PyTorch, which draws its graphs in the same way. What for shows "
        "here: different lengths, {distinct} of them, take a graph of fixed shape each, or a loop "
        "inside one graph, or one program that is drawn as it runs."
    ),
    # What is computed from the state.
    "steps.question": mark(
        "How many cell steps do the boundaries {boundaries} cost (pad to {policy})?"
    ),
    "steps.why": mark("{sum} = {steps} steps, {real} of them real."),
    "saved.question": mark(
        "Which share of the {pad} fully padded steps do the boundaries {boundaries} save?"
    ),
    "saved.why": mark("1 - {steps} / {pad} = {saved}."),
    "pad.question": mark(
        "{count:sequence|sequences}, all padded to the longest: how many cell steps?"
    ),
    "pad.why": mark("{count} x {longest} = {steps} steps, {real} of them real."),
    "waste.question": mark(
        "Bucket {low}-{high} holds {count:sequence|sequences}. Which share of its steps is padding?"
    ),
    "waste.why": mark(
        "{count} x {pad} = {steps} steps, {real} real: {padding} / {steps} = {waste}."
    ),
    "move.question": mark("One step of one end: which one saves the most?"),
    "move.choice": mark("the end of bucket {bucket} from {before} to {length}"),
    "move.none": mark("none: no single step saves anything"),
    "move.why": mark(
        "{steps} steps become {after} ({change}). The optimum for {k:bucket|buckets} is {optimal}."
    ),
    "move.why.none": mark(
        "Each of the {count} possible steps leaves {steps} or makes it more. The optimum for "
        "{k:bucket|buckets} is {optimal}."
    ),
    "change.question": mark(
        "The end of bucket {bucket} goes from {before} to {length}. By how much do the steps "
        "change? (fewer: a minus)"
    ),
    "change.why": mark("{steps} steps become {after}: {change}."),
    "add.question": mark("One more boundary: where does it save the most steps?"),
    "add.choice": mark("at {length}"),
    "add.why": mark("At {length} it saves {saves}: {steps} steps become {after}."),
    "optimum.question": mark("How few steps can {k:bucket|buckets} cost, wherever the ends are?"),
    "optimum.why": mark(
        "{optimal} steps, with ends at {boundaries}: {distance} fewer than now ({steps})."
    ),
    "wrong.question": mark(
        "pad without a mask: how many of the {checked} checked sequences come out wrong?"
    ),
    "wrong.why": mark(
        "{wrong} of {checked}, by up to {error}. Nothing is filled in behind a sequence of all "
        "{longest} steps. The mask gets {masked} wrong."
    ),
    "left.question": mark(
        "Zeros in front instead of behind, bias {bias}: are all the checked outputs right?"
    ),
    "left.why": mark(
        "{wrong} of {checked} are wrong. A zero state stays zero while zeros come in, unless a "
        "bias moves it before the data begin."
    ),
    "repeat.question": mark(
        "Filled up with its last input instead of zeros: are all the checked outputs right?"
    ),
    "repeat.why": mark(
        "{wrong} of {checked} are wrong; with zeros it is {pad_wrong}. Whatever is filled in, the "
        "state follows it."
    ),
    "graphs.question": mark(
        "A compiler makes one graph for each shape. How many does it make for these buckets?"
    ),
    "graphs.why": mark(
        "One for each bucket that is not empty: {graphs} of {k}. One for each length would be "
        "{distinct}."
    ),
    "calls.question": mark(
        "Each bucket runs as one batch. How often is the cell called, all buckets together?"
    ),
    "calls.why": mark(
        "As often as the buckets are padded long: {sum} = {calls}. Padding all in one batch takes "
        "{longest}."
    ),
    "sum.long": mark("the {k} buckets together"),
}
