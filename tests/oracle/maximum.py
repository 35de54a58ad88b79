"""Certified global maximum of a smooth function of one real variable, from balls of the function and its derivative."""
from fractions import Fraction

from enclosure import ball, span, top


def maximise(function, derivative, low, high, width=Fraction(1, 10**17)):
    """Ball around max over [low, high]: pieces are dropped when too low, or when the derivative cannot vanish on them.

    What is left shrinks to `width`; there the mean value form is a bound. The ends count as points of their own.
    """
    best = top([function(ball(low)), function(ball(high))])
    todo, tiny = [(Fraction(low), Fraction(high))], []
    while todo:
        left, right = todo.pop()
        middle = (left + right) / 2
        best = top([best, function(ball(middle))])
        piece = span(left, right)
        slope = derivative(piece)
        if slope > 0 or slope < 0:
            continue
        centred = function(ball(middle)) + slope * (piece - ball(middle)) if slope.is_finite() else function(piece)
        if centred < best:
            continue
        if right - left < width:
            tiny.append(centred)
        else:
            todo += [(left, middle), (middle, right)]
        if len(todo) + len(tiny) > 4000:
            raise ArithmeticError("the maximum does not separate")
    return top([best, *tiny])
