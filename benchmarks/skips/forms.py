"""Instructions in words and orders that a grammar of manuals may lack: one text for
each form and kind of act.

A form is a way of saying *do this* that a person understands: an unknown or a misspelt
verb, a noun, the passive, an act behind prose, a label in quotes, two acts in one
unusual sentence, a place that sounds right and is not there. The forms were written
without a look at any rule of a policy, and are not to be fitted to one: what a policy
learns to read is counted as understood, and the form stays. In a template `{label}` is
a label as the document marks it, `{bare}` the same in quotes, `{lower}` in small
letters without a mark, `{who}` the document's phrase for the resource, `{value}` what
is entered or chosen, `{way}` *on* or *off*, and `{button}` the button that ends what
the same sentence asks for.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What an instruction asks for, as far as its words depend on it."""

    ROW = "row"
    """An action of the row of a resource."""
    BUTTON = "button"
    """A button of the page or of a form."""
    CONFIRM = "confirm"
    """The button of a dialog that asks."""
    TAB = "tab"
    FILL = "fill"
    CHOOSE = "choose"
    SWITCH = "switch"
    FILL_THEN = "fill_then"
    """A text, and then a button."""
    CHOOSE_THEN = "choose_then"
    SWITCH_THEN = "switch_then"


@dataclass(frozen=True, kw_only=True)
class Form:
    """One way of saying it, in the words of one kind of act."""

    name: str
    kind: Kind
    template: str


_TEXTS: dict[Kind, dict[str, str]] = {
    Kind.ROW: {
        "unknown verb": "Smack the {label} control that belongs to {who}.",
        "unknown verb, technical": "Actuate {label} for {who}.",
        "misspelt verb": "Find {who} and clik {label} in the **Actions** column.",
        "transposed verb": "Locate {who}, and then cilck {label}.",
        "nominal": "A click on {label} in the row of {who} is all that this takes.",
        "passive": "For {who}, {label} is now to be clicked.",
        "passive, perfect": "Once {label} has been clicked for {who}, carry on.",
        "behind prose": (
            "Many teams forget this part: it is {label} of {who} that does the "
            "work, so give it a push."
        ),
        "quotes mid-sentence": "Have {who} undergo the {bare} treatment from its row.",
        "wrong place": "Use the arrow beside {who} to get at {label}.",
        "make use": "Make use of {label} for {who}.",
        "question": "Why not hit {label} for {who} now?",
        "causative": "You will want to have {label} pressed for {who}.",
        "gerund": "Clicking {label} next to {who} comes next.",
        "inversion": "With {who} in view, {label} it is.",
        "subjunctive": "Let {label} be selected for {who}.",
        "noun alone": "{label} for {who}.",
        "not before": "Not before {who} is located may {label} be clicked, which you then do.",
        "nothing but": "Do nothing to {who} other than clicking {label}.",
        "condition": "If {who} is listed, as it should be, fire {label}.",
        "metaphor": "The {label} of {who} awaits your mouse.",
        "apposition": "Reach for {label}, the one that goes with {who}.",
        "shorthand": "LMB on {label} ({who}).",
        "arrow": "{who} → {label}.",
        "label as verb": "Go ahead and {lower} it, {who} that is, by means of the link in its row.",
        "use of": "Use the {label} button in the row of {who}.",
        "by clicking": "Deal with {who} by clicking {label}.",
        "duty": "It falls to {label}, in the row of {who}, to be hit at this point.",
    },
    Kind.BUTTON: {
        "unknown verb": "Whack {label}.",
        "unknown verb, technical": "Actuate {label}.",
        "misspelt verb": "Clik {label}.",
        "transposed verb": "Cilck the {label} button.",
        "nominal": "A click on {label} is all that this takes.",
        "passive": "{label} is now to be clicked.",
        "passive, perfect": "Once {label} has been clicked, carry on.",
        "behind prose": (
            "What most readers overlook is that nothing happens without {label}, so give it a push."
        ),
        "quotes mid-sentence": "Have {bare} do its work on this page.",
        "wrong place": "Use the arrow beside {label}.",
        "make use": "Make use of {label}.",
        "question": "Why not hit {label} now?",
        "causative": "You will want to have {label} pressed.",
        "inversion": "{label} it is.",
        "subjunctive": "Let {label} be selected.",
        "noun alone": "{label}.",
        "nothing but": "Do nothing here other than clicking {label}.",
        "metaphor": "The {label} button awaits your mouse.",
        "duty": "It falls to {label} to be hit at this point.",
    },
    Kind.CONFIRM: {
        "unknown verb": "Nod the message through with {label}.",
        "misspelt verb": "In the dialog box that appears, clik {label}.",
        "misspelt noun phrase": "Aknowledge with {label}.",
        "nominal": "A final {label} seals it.",
        "passive": "{label} is what the dialog box is to be answered with.",
        "passive, perfect": "The dialog box goes away once its {label} has been hit.",
        "behind prose": (
            "The dialog box is there to protect you from slips of the hand, and "
            "{label} tells it that this is none."
        ),
        "quotes mid-sentence": "Sign off on the dialog box by way of {bare}.",
        "wrong place": "Finish off the dialog box with the arrow beside {label}.",
        "two clauses": "The dialog box wants an {label}; give it one.",
        "adverb alone": "Whereupon {label}.",
        "subjunctive": "Let the dialog box have its {label}.",
        "gerund": "Hitting {label} is what remains.",
    },
    Kind.TAB: {
        "unknown verb": "Hop over to {label}.",
        "misspelt verb": "Clik the {label} tab.",
        "nominal": "A change to {label} is due.",
        "passive": "The {label} tab is to be brought to the front.",
        "behind prose": (
            "The details page has several tabs, of which it is {label} that "
            "matters now, so let it show."
        ),
        "quotes mid-sentence": "Have the part called {bare} come up.",
        "wrong place": "Use the arrow beside {label}.",
        "inversion": "{label} it is.",
    },
    Kind.FILL: {
        "unknown verb": "Jot {value} down under {label}.",
        "misspelt verb": "Entre {value} in the {label} field.",
        "transposed verb": "Tpye {value} into {label}.",
        "copula": "{label} gets {value}.",
        "nominal": "The entry for {label} is {value}.",
        "passive": "{value} is to be keyed into {label}.",
        "what belongs": "{value} is what belongs in {label}.",
        "behind prose": (
            "Some names are taken already, but {value} is free, so let {label} read just that."
        ),
        "quotes mid-sentence": "Have {bare} say {value} before you move on.",
        "wrong place": "In the box to the left of {label}, {value} goes.",
        "topic": "As for {label}: {value}.",
        "feed": "Feed {label} with {value}.",
    },
    Kind.CHOOSE: {
        "unknown verb": "Settle on {value} under {label}.",
        "misspelt verb": "Chose {value} for {label}.",
        "transposed verb": "Slect {value} from {label}.",
        "copula": "{label} ought to be {value}.",
        "nominal": "The choice for {label} is {value}.",
        "passive": "{value} is to be taken for {label}.",
        "inversion": "Out of the choices of {label}, {value} is the one to take.",
        "behind prose": (
            "There is more than one way to run this, and it is {value} that "
            "{label} should show here."
        ),
        "quotes mid-sentence": "Have {bare} stand at {value} before you move on.",
        "topic": "As for {label}: {value}.",
        "go": "Go with {value} where it says {label}.",
    },
    Kind.SWITCH: {
        "unknown verb": "Flip {label} to {way}.",
        "misspelt verb": "Trun {way} {label}.",
        "copula": "{label} is to be {way}.",
        "inversion": "{way} goes {label}.",
        "causative": "See to it that {label} ends up {way}.",
        "behind prose": "Whatever it shows at first, this only works with {label} {way}.",
        "quotes mid-sentence": "Have {bare} flipped {way} before you move on.",
        "nominal": "{way} is the state for {label}.",
    },
    Kind.FILL_THEN: {
        "on your way": "On your way to {button}, leave {value} in {label}.",
        "not until": "Not until {label} holds {value} does {button} get its click.",
        "with": "With {value} in {label}, it is {button} that finishes.",
        "misspelt verbs": "Entre {value} in the {label} field and clik {button}.",
        "passive": "{label} is given {value}, and {button} its click.",
        "nominal": "An entry of {value} for {label}, a click on {button}, and that is that.",
        "after which": "{label} becomes {value}, after which {button} wants pressing.",
    },
    Kind.CHOOSE_THEN: {
        "on your way": "On your way to {button}, leave {label} at {value}.",
        "not until": "Not until {label} shows {value} does {button} get its click.",
        "misspelt verbs": "Slect {value} for {label} and clik {button}.",
        "after which": "{label} becomes {value}, after which {button} wants pressing.",
    },
    Kind.SWITCH_THEN: {
        "on your way": "On your way to {button}, leave {label} {way}.",
        "not until": "Not until {label} is {way} does {button} get its click.",
        "misspelt verbs": "Trun {way} {label} and clik {button}.",
        "after which": "{label} goes {way}, after which {button} wants pressing.",
    },
}

FORMS: tuple[Form, ...] = tuple(
    Form(name=name, kind=kind, template=template)
    for kind, texts in _TEXTS.items()
    for name, template in texts.items()
)
"""All of them, in a fixed order."""


def forms_for(kind: Kind) -> tuple[Form, ...]:
    """Those that say this kind of act."""
    return tuple(form for form in FORMS if form.kind is kind)
