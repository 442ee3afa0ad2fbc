"""Universes of the gallery on hexagons and with stages."""

from __future__ import annotations

from watch import always, make, watch


def test_water_comes_through_half_of_all_boards_of_hex() -> None:
    """Either water joins the left side with the right one or land the upper with the lower one, never both (the
    theorem of Hex), so at one half both are equally likely on every rhombus. That is also where the threshold of site
    percolation on this lattice lies (M. F. Sykes, J. W. Essam, 1964)."""
    shares = {}
    for wet in (0.35, 0.5, 0.65):
        env = make("hex", worlds=400)
        env.reset(params={"wet": wet})
        shares[wet] = float(watch(env, 119, always("WAIT"))["through"][-1].mean())
    assert abs(shares[0.5] - 0.5) < 4 * 0.5 / 400**0.5
    assert abs(shares[0.35] + shares[0.65] - 1) < 0.1
    assert shares[0.35] < 0.1


def test_lessons_take_as_long_as_hits_do() -> None:
    """A negative binomial: five hits of probability p take 5 / p shots on average, with the deviation
    sqrt(5 (1 - p)) / p. Both stages together take longer than an episode."""
    env = make("lessons", worlds=400)
    stage = watch(env, 80, always("SHOOT"), ["stage"])["stage"][:, :, 0]
    near, before = (stage == 0).sum(dim=0).float(), (stage < 2).sum(dim=0).float()
    first = near.mean() + 1
    assert abs(first - 5 / 0.8) < 4 * (5 * 0.2) ** 0.5 / 0.8 / 20
    far = (before - near).mean()
    assert abs(far - 5 / 0.4) < 4 * (5 * 0.6) ** 0.5 / 0.4 / 20
    assert (before > 10).float().mean() > 0.9
