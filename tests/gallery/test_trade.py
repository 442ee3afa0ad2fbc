"""What the market and the auction teach, held to the theory behind them. What changes hands is compared exactly;
tolerances are of statistics."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor
from watch import always, make, watch

from hamlet.env.environment import Env

AGENTS = 33


def test_coins_and_loaves_change_hands_and_the_price_settles_at_the_median() -> None:
    env = make("market", worlds=16, agents=AGENTS)
    seen = watch(env, 60, always("WAIT"), ["price", "worth", "bread", "coins"])
    bread, coins, worth, price = (seen[name] for name in ("bread", "coins", "worth", "price"))
    # Whole numbers below 2^24 are exact, whatever the order in which they are added.
    assert (bread.sum(dim=2) == 100 * AGENTS).all()
    assert (coins.sum(dim=2) == 2000 * AGENTS).all()
    # Nobody ever loses, and all of them together gain what loaves are worth more to their buyers than to their sellers.
    assert (seen.reward >= 0).all()
    bought = bread[1:] - bread[:-1]
    assert set(bought.unique().tolist()) == {-1, 0, 1}
    assert (seen.reward[1:].sum(dim=2) == (worth[1:] * bought).sum(dim=2)).all()
    # As many want bread as want coins only at the median of what bread is worth.
    settled = price[30:].mean(dim=(0, 2)) - worth[0].median(dim=1).values
    assert settled.abs().max() <= 1.5
    assert settled.abs().mean() < 0.75
    # Who values bread more has never less of it.
    order = worth[-1].argsort(dim=1)
    assert (bread[-1].gather(1, order)[:, -AGENTS // 4 :] > 100).all()
    assert (bread[-1].gather(1, order)[:, : AGENTS // 4] < 100).all()


@pytest.mark.parametrize(("bidders", "best"), [(2, 0.5), (10, 0.9)])
def test_the_best_bid_is_the_less_below_the_worth_the_fewer_bid(bidders: int, best: float) -> None:
    gains = {shade: _gain(bidders, best, shade) for shade in (best - 0.2, best, best + 0.1, 1.0)}
    assert max(gains, key=lambda shade: gains[shade]) == best
    # Others bid least of all as much with the chance v^(n - 1): the winner keeps v / n, on average 1 / (n (n + 1)).
    assert abs(gains[best] * bidders * (bidders + 1) - 1) < 0.05
    assert gains[1.0] == 0


def _gain(bidders: int, others: float, shade: float) -> float:
    """What the first bidder gains per auction on average with this share of its worth, where the others bid another."""
    env = make("auction", worlds=512, agents=bidders)
    first = torch.arange(env.num_lanes) % bidders == 0
    steps = torch.where(first, round((shade - 0.5) / 0.05), round((others - 0.5) / 0.05))

    def policy(env: Env, tick: int) -> Tensor:
        bolder, meeker, wait = (env.action_names.index(name) for name in ("BOLDER", "MEEKER", "WAIT"))
        towards = torch.where(steps > 0, bolder, meeker)
        return torch.where(steps.abs() > tick, towards, wait).to(torch.int32)

    gain = watch(env, 190, policy, ["gain"])["gain"]
    # From the tenth tick on everybody bids the share that it keeps.
    return float((gain[-1] - gain[10])[:, 0].mean()) / (len(gain) - 11)


def test_the_seller_gets_what_theory_says() -> None:
    for bidders, steps in ((2, 0), (10, 8)):
        env = make("auction", worlds=128, agents=bidders)
        seen = watch(env, 150, lambda env, tick, n=steps: always("BOLDER" if tick < n else "WAIT")(env, tick), ["gain"])
        # Of uniform worths the second highest, which is what every standard auction brings.
        assert abs(float(seen["revenue"][10:].mean()) - (bidders - 1) / (bidders + 1)) < 0.01
        gained = (seen["gain"][11:] - seen["gain"][10:-1] > 0).sum(dim=2)
        assert gained.max() == 1
        assert (gained == 1).float().mean() > 0.99
