"""What a pack says, with places; references are known to exist. HAMLET's engine gives it its meaning.

Numbers are binary64 as written; whoever uses them rounds once to binary32. Everything stands in the order of its file
unless a field says otherwise. What has no effect is not here.
"""

from hamlet_townlet.pack.affordances import Affordance, Change, CustomAction, Position
from hamlet_townlet.pack.bars import Bar, Bars, Operator, TerminalCondition
from hamlet_townlet.pack.cascades import Cascade, CascadeGroup, Cascades, Modulation
from hamlet_townlet.pack.rewards import (
    ApproachReward,
    BalanceBonus,
    BarBonus,
    Bonus,
    CompletionBonus,
    CrisisAvoidance,
    DiversityBonus,
    EconomicEfficiency,
    EfficiencyBonus,
    Extrinsic,
    Intrinsic,
    MinimumCondition,
    Modifier,
    ModifierRange,
    NoBonus,
    Rewards,
    ShapingVariable,
    StateAchievement,
    StoppingBonus,
    Strategy,
    StreakBonus,
    VariableBonus,
)
from hamlet_townlet.pack.spanned import Spanned
from hamlet_townlet.pack.substrate import (
    Aspatial,
    Boundary,
    Continuous,
    Discretization,
    Encoding,
    Grid,
    Metric,
    Substrate,
    substrate_axes,
)
from hamlet_townlet.pack.training import Training
from hamlet_townlet.pack.variables import Scope, Variable, VariableType
from hamlet_townlet.pack.whole import ACTIONS, FILES, Pack, deployed_affordances

__all__ = [
    "ACTIONS",
    "FILES",
    "Affordance",
    "ApproachReward",
    "Aspatial",
    "BalanceBonus",
    "Bar",
    "BarBonus",
    "Bars",
    "Bonus",
    "Boundary",
    "Cascade",
    "CascadeGroup",
    "Cascades",
    "Change",
    "CompletionBonus",
    "Continuous",
    "CrisisAvoidance",
    "CustomAction",
    "Discretization",
    "DiversityBonus",
    "EconomicEfficiency",
    "EfficiencyBonus",
    "Encoding",
    "Extrinsic",
    "Grid",
    "Intrinsic",
    "Metric",
    "MinimumCondition",
    "Modifier",
    "ModifierRange",
    "Modulation",
    "NoBonus",
    "Operator",
    "Pack",
    "Position",
    "Rewards",
    "Scope",
    "ShapingVariable",
    "Spanned",
    "StateAchievement",
    "StoppingBonus",
    "Strategy",
    "StreakBonus",
    "Substrate",
    "TerminalCondition",
    "Training",
    "Variable",
    "VariableBonus",
    "VariableType",
    "deployed_affordances",
    "substrate_axes",
]
