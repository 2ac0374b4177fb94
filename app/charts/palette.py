"""One meaning, one color, everywhere (Okabe and Ito's palette, safe for color-blind readers).

The stepper's style sheet uses the same values; a test holds the two together.
"""

TARGET = "#0072B2"  # p
DRAFT = "#E69F00"  # q, and accepted drafts
RESIDUAL = "#009E73"  # residual and replacement
REJECTED = "#D55E00"
BONUS = "#CC79A7"
UNCHECKED = "#8A8A8A"

# Two runs side by side are no models and no verdicts: gray where they are the same, slate after.
SAME = "#B5B5B5"
PARTED = "#64748B"
