"""Every diagnostic code: how severe it is and what it is about, in a few words.

A code keeps its meaning for ever; `docs/diagnostics.md` has a paragraph for each and `hamletc.diagnostics.diagnose`
takes the severity from here. H001 to H019 are about reading and parsing a source, H020 to H099 about checking it;
H338 to H341 are about links between agents;
H100 to H139 are about packs, H141 to H149 about maps, H150 to H159 about controls and momentum, H160 to H169
about states and the past, H170 to H179 about effects and affordances, H220 to H229 about copies and movement of
affordances, H230 to H239 about things, H250 to H259 about things of roles, H260 to H264 about cells by their
coordinates, H265 to H269 about agents that are moved, H270 to H274 about start values, H275 to H279 about statements in
rounds, H280 to H284 about observations, H285 to H289 about who acts, H290 to H294 about pictures, H300 to H304 about
windows that turn, H305 to H311 about layouts, H320 and H321 about series, H322 to H324 about pairs of agents, H330 and
H331 about levels, H332 and H333 about agents in windows, H334 about walks into places, H352 about affordances
in windows, H353 to H356 about groups of whole numbers, axes of images, ranges of what is observed and texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, TypeAlias

from hamlet.frozen import dataclass

Severity: TypeAlias = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Code:
    """The description of a code. `title` is a noun phrase without a full stop."""

    severity: Severity
    title: str


INERT = frozenset(("H049", "H060", "H061", "H062", "H063", "H064", "H069", "H172", "H173", "H318"))
"""The errors about what has no effect: warnings in a universe that says `inert allowed`."""

CODES: Mapping[str, Code] = MappingProxyType(
    {
        # --- reading a source ---
        "H001": Code("error", "file that cannot be read"),
        "H002": Code("error", "file that is not UTF-8"),
        "H003": Code("error", "file that is too large"),
        # --- tokens ---
        "H004": Code("error", "character that has no meaning here"),
        "H005": Code("error", "malformed number"),
        "H006": Code("error", "number that binary32 cannot hold"),
        "H007": Code("error", "name that is too long"),
        # --- syntax ---
        "H008": Code("error", "file that does not begin with `universe NAME`"),
        "H009": Code("error", "unexpected word or symbol"),
        "H010": Code("error", "brace that is never closed"),
        "H011": Code("error", "closing brace without an opening one"),
        "H012": Code("error", "reserved word used as a name"),
        "H013": Code("error", "chained comparison"),
        "H014": Code("error", "empty braces"),
        "H015": Code("error", "nesting that is too deep"),
        "H016": Code("error", "too many syntax errors"),
        "H017": Code("error", "symbol or comment of another language"),
        "H018": Code("error", "`=` or `:` where none stands"),
        "H019": Code("error", "`if` that is no expression"),
        # --- checking: names ---
        "H020": Code("error", "name that is not declared"),
        "H021": Code("error", "name of another kind than needed"),
        "H022": Code("error", "name declared twice"),
        "H023": Code("error", "declaration of a name that every universe knows"),
        "H024": Code("error", "something given twice"),
        "H025": Code("error", "declaration that is missing"),
        "H026": Code("error", "word that is not known here"),
        # --- checking: types and constants ---
        "H027": Code("error", "number where a condition is needed, or the reverse"),
        "H028": Code("error", "`here`, `last`, `used` or `action` compared with something else"),
        "H029": Code("error", "`deficit` or `shortfall` outside a cascade"),
        "H030": Code("error", "wrong number of arguments"),
        "H031": Code("error", "constant that is not constant"),
        "H032": Code("error", "number that is not a whole number"),
        "H033": Code("error", "number outside its limits"),
        "H034": Code("error", "constant that is too large"),
        "H035": Code("error", "constant that is too small"),
        # --- checking: declarations that do not fit each other ---
        "H036": Code("error", "clock that is missing"),
        "H037": Code("error", "lifespan that is missing"),
        "H038": Code("error", "`deficit` of a threshold that is not above 0"),
        "H039": Code("error", "cascade without `meter < constant`"),
        "H040": Code("error", "bounds the wrong way round"),
        "H041": Code("error", "start value or default outside its bounds"),
        "H042": Code("error", "wrong number of dimensions"),
        "H043": Code("error", "place outside the space"),
        "H044": Code("error", "places that collide"),
        "H045": Code("error", "grid that is too small"),
        "H046": Code("error", "hours outside the clock"),
        "H047": Code("error", "opening hours that begin where they end"),
        "H048": Code("error", "blocks that do not fit an affordance"),
        "H049": Code("error", "affordance or action that does nothing"),
        # --- checking: ranges ---
        "H050": Code("error", "divisor that can be zero"),
        "H051": Code("error", "value that can overflow"),
        # --- checking: structure ---
        "H052": Code("error", "`together` inside `together`"),
        "H053": Code("error", "universe that cannot be imported by its name"),
        # --- checking: what a universe must have for it ---
        "H054": Code("error", "argument that a function cannot take"),
        "H055": Code("error", "space that is missing, or of another kind"),
        "H056": Code("error", "uses that are not tracked"),
        "H057": Code("error", "affordance that lasts, missing"),
        "H058": Code("error", "`previous` of what has no previous value"),
        "H059": Code("error", "value that a mask cannot use"),
        # --- checking: nothing is inert ---
        "H060": Code("error", "name that nobody reads"),
        "H061": Code("error", "cascade that can never fire"),
        "H062": Code("error", "condition that never changes"),
        "H063": Code("error", "statement without effect"),
        "H064": Code("error", "part without effect"),
        # --- checking: spaces and actions ---
        "H065": Code("error", "axis that the space does not have"),
        "H066": Code("error", "action called like another"),
        "H067": Code("error", "too many declarations"),
        # --- checking: draws ---
        "H068": Code("error", "random draw where nothing is drawn"),
        # --- checking: claims ---
        "H069": Code("error", "claim that does not hold"),
        # --- checking: warnings ---
        "H070": Code("warning", "cascade that always fires"),
        "H071": Code("warning", "meter that nothing can restore"),
        "H072": Code("warning", "meter that nothing can deplete"),
        "H073": Code("warning", "meter that never changes"),
        "H074": Code("warning", "universe that never ends"),
        "H075": Code("warning", "metric that nobody uses"),
        "H076": Code("warning", "name that stands for two things"),
        "H077": Code("warning", "drain that is more than a whole meter"),
        "H078": Code("warning", "universe in which nothing is observed"),
        "H079": Code("warning", "something that never happens in play"),
        "H178": Code("warning", "affordances that an agent uses all at once"),
        # --- checking: what is finite in a tick and not for ever ---
        "H080": Code("error", "rewards that can add up to infinity"),
        "H081": Code("error", "meter that can be too large to be observed"),
        # --- checking: what is known of a tick ---
        "H082": Code("error", "action or use where it is not known yet"),
        "H083": Code("error", "start value of what is not known yet"),
        "H084": Code("warning", "value that becomes 0 where a condition does not hold"),
        # --- checking: what is written out ---
        "H085": Code("error", "definition in a circle"),
        "H086": Code("error", "definitions that stand for too much"),
        "H087": Code("error", "argument that does not fit a template or a function"),
        "H088": Code("error", "file that cannot be included"),
        "H089": Code("error", "nothing to replace or to leave out"),
        # --- checking: agents that meet ---
        "H090": Code("error", "agent that changes a meter of the world"),
        "H091": Code("error", "rule of the world that changes an agent's meter"),
        "H092": Code("error", "quantity of an agent in a rule of the world"),
        "H093": Code("error", "agents counted where they cannot be"),
        "H094": Code("error", "capacity that does not say who comes first"),
        "H095": Code("error", "capacity that is another for each agent"),
        "H096": Code("error", "meter of the world that is left unclamped"),
        "H097": Code("error", "value that is not known of all agents"),
        "H098": Code("error", "capacity that never serves anybody"),
        "H099": Code("error", "property that a meter of the world cannot have"),
        # --- packs: reading the files ---
        "H100": Code("error", "pack or file of a pack that is missing"),
        "H101": Code("error", "text that is not YAML"),
        "H102": Code("error", "tab in the indentation"),
        "H103": Code("error", "part of YAML that packs do not use"),
        "H104": Code("error", "key given twice"),
        "H105": Code("error", "YAML that is too deep or too large"),
        "H106": Code("error", "value that YAML reads differently from people"),
        # --- packs: keys and values ---
        "H107": Code("error", "key that is not known here"),
        "H108": Code("error", "key that is missing"),
        "H109": Code("error", "value of another type than needed"),
        "H110": Code("error", "value outside its limits"),
        "H111": Code("error", "word that a key cannot have"),
        "H112": Code("error", "name that the pack does not have"),
        "H113": Code("error", "name given twice in a pack"),
        "H114": Code("error", "bar indices that do not count from 0"),
        # --- packs: parts that do not fit each other ---
        "H115": Code("error", "cascades in a circle"),
        "H116": Code("error", "position that does not fit the space"),
        "H117": Code("error", "space that is too small or too large"),
        "H118": Code("error", "shape of a space that HAMLET does not have"),
        "H119": Code("error", "keys that do not fit each other"),
        "H120": Code("error", "combination that HAMLET cannot run"),
        # --- packs: warnings ---
        "H130": Code("warning", "key without effect in HAMLET either"),
        "H131": Code("warning", "part that HAMLET drops"),
        "H132": Code("warning", "bonus that HAMLET never pays"),
        "H133": Code("warning", "part with which HAMLET stops"),
        "H134": Code("warning", "part that says again what another one says"),
        # --- roles, goals, potentials ---
        "H210": Code("error", "role without agents, or with too many"),
        "H211": Code("error", "two roles that take all other agents"),
        "H212": Code("error", "role of which no number is said"),
        "H213": Code("error", "meter or action of another role"),
        "H214": Code("error", "name that several roles have"),
        "H215": Code("error", "part that a role cannot have"),
        "H216": Code("error", "potential that does not shape a reward"),
        "H217": Code("error", "draw for the end of a world"),
        # --- maps ---
        "H141": Code("error", "map that is missing"),
        "H142": Code("error", "map that is no rectangle"),
        "H143": Code("error", "map that does not fit its space"),
        "H144": Code("error", "letter of a map that means nothing"),
        "H145": Code("error", "letter that a map does not have, or not once"),
        "H146": Code("error", "place that is a wall"),
        "H147": Code("warning", "affordance that no agent can reach"),
        "H148": Code("error", "letter with two numbers"),
        "H149": Code("warning", "map that falls apart"),
        # --- controls and momentum ---
        "H150": Code("error", "velocity written without momentum"),
        "H151": Code("error", "momentum on a grid"),
        "H152": Code("error", "limit of the velocity outside its limits"),
        "H153": Code("error", "start that does not fit momentum"),
        "H154": Code("error", "bounds of a control too far apart"),
        "H155": Code("error", "control where it is not known yet"),
        "H156": Code("error", "velocity written where only meters are"),
        # --- states and the past ---
        "H160": Code("error", "state without a type, or with too few options"),
        "H161": Code("error", "option that is none, or that is used as a number"),
        "H162": Code("error", "statement that a state cannot take"),
        "H163": Code("error", "number that may not be whole"),
        "H164": Code("error", "bounds of whole numbers that are none"),
        "H165": Code("error", "what has no past"),
        "H166": Code("error", "past that is too far, or a share that is none"),
        "H168": Code("error", "past that cannot be read here"),
        "H169": Code("error", "state that is observed as a meter"),
        # --- effects, and what affordances have of their own ---
        "H170": Code("error", "effect that leads to itself for ever"),
        "H171": Code("error", "effect begun or ended by whom it does not belong to"),
        "H172": Code("error", "effect that nothing begins"),
        "H173": Code("error", "effect that does nothing"),
        "H174": Code("error", "`again` that has no effect"),
        "H175": Code("error", "opening that is another for each agent"),
        "H176": Code("error", "quantity that an affordance or an effect does not have"),
        # --- cells ---
        "H180": Code("error", "cells without a grid"),
        "H181": Code("error", "cells that would not fit"),
        "H182": Code("error", "neighbours of what is no cell"),
        "H183": Code("error", "what an agent has, asked of a cell"),
        "H184": Code("error", "what is not known of neighbours"),
        "H185": Code("error", "meter of cells that the world would write"),
        "H186": Code("error", "meter that a rule of cells cannot write"),
        "H187": Code("error", "property that meters of cells do not have"),
        # --- ways, sight, graphs and layouts ---
        "H190": Code("error", "ways or views that are too many to be looked up"),
        "H191": Code("error", "sight without walls"),
        "H192": Code("error", "graph without edges, or an edge that leads back"),
        "H193": Code("warning", "graph that falls apart"),
        "H194": Code("error", "what a graph has and a grid does not, or the other way round"),
        "H195": Code("error", "place at random that cannot be said more exactly"),
        "H196": Code("error", "place that depends on one that is not known yet"),
        "H197": Code("error", "places that cannot be as they are said to be"),
        # --- agents about other agents ---
        "H200": Code("error", "word about two agents where none is asked"),
        "H201": Code("error", "word about two agents where no agent asks"),
        "H202": Code("error", "word about two agents inside `own`"),
        "H203": Code("error", "draw, or rank, that depends on who asks"),
        "H204": Code("error", "own value that all agents have alike"),
        "H205": Code("error", "question that asks nothing of the other agents"),
        # --- copies of affordances, and affordances that move ---
        "H220": Code("error", "number of copies that cannot be"),
        "H221": Code("error", "copies that have no places of their own"),
        "H222": Code("error", "copies of which only one can be meant"),
        "H223": Code("error", "affordance that cannot move so"),
        "H224": Code("error", "affordance that is said to move in two ways"),
        # --- things that agents carry ---
        "H230": Code("error", "things without slots, or slots without things"),
        "H231": Code("error", "thing that is made of nothing, or of itself"),
        "H232": Code("error", "thing that nothing brings into the world"),
        "H233": Code("error", "statement that could make or lose things"),
        "H234": Code("error", "part of a thing that its space does not have"),
        "H235": Code("error", "number of things that cannot be"),
        "H236": Code("error", "wear of what does not wear out"),
        # --- what a world keeps, and stages ---
        "H240": Code("error", "stage that switches to itself"),
        "H241": Code("error", "stage that nothing leads to"),
        # --- all cells ---
        "H242": Code("error", "all cells asked where they have nothing"),
        "H243": Code("error", "what cannot be asked of all cells"),
        "H244": Code("error", "question to all cells that says nothing of them"),
        # --- hexagons ---
        "H245": Code("error", "what has no meaning on hexagons"),
        # --- things of roles ---
        "H250": Code("error", "gifts that not everybody can carry"),
        # --- the list of actions ---
        "H255": Code("error", "action that the list of actions leaves out"),
        "H256": Code("error", "first action of one role only"),
        # --- a cell by its coordinates ---
        "H260": Code("error", "coordinates that no cell of the grid has"),
        "H261": Code("error", "coordinate that may be no whole number"),
        "H262": Code("error", "what is not of a cell, read at one"),
        "H263": Code("error", "cell that cannot be named here"),
        "H264": Code("error", "cells around one that cannot be summed"),
        # --- agents that are moved ---
        "H313": Code("error", "mean that draws cannot have"),
        "H314": Code("error", "probability that draws cannot have"),
        "H312": Code("error", "agents on a cell that cannot be counted"),
        "H265": Code("error", "displacement or place on a grid that may not be whole"),
        "H266": Code("error", "displacement or place that may leave the space"),
        "H267": Code("error", "agents moved by what is no agent's"),
        "H268": Code("error", "heading that agents do not have"),
        "H269": Code("error", "heading or turning moves where there are none"),
        # --- who acts ---
        "H285": Code("error", "mask of a WAIT that nobody can choose"),
        # --- births ---
        "H315": Code("error", "birth that no agent asks for"),
        "H316": Code("error", "birth of what is no role"),
        "H317": Code("error", "what a child cannot be given"),
        "H318": Code("error", "births without room"),
        "H319": Code("error", "births in worlds that cannot have them"),
        # --- pictures ---
        "H290": Code("error", "letter of a picture that is none"),
        "H291": Code("error", "picture of what is not there"),
        "H292": Code("error", "picture that would need state of its own"),
        # --- what blocks ---
        "H293": Code("error", "wall between cells that stops nobody"),
        "H294": Code("error", "agents that block each other to no end"),
        "H295": Code("error", "move whose goal depends on all agents, where these block each other"),
        "H334": Code("error", "move whose goal depends on all agents, where who walks into something claims a place"),
        "H296": Code("error", "affordance that cannot be solid"),
        "H297": Code("error", "solid affordance where somebody could start"),
        "H298": Code("error", "pushes by nobody"),
        "H299": Code("error", "what cannot be pushed"),
        "H325": Code("error", "line that is pushed, of another length than there is"),
        "H326": Code("error", "push in a circle"),
        "H327": Code("error", "wall that would be pushed"),
        "H328": Code("error", "two orders of agents that are in each other's way"),
        # --- layouts ---
        "H305": Code("error", "condition that decides of no wall"),
        "H329": Code("error", "solid cells that are none"),
        "H306": Code("error", "what is known around walls of a map only"),
        "H307": Code("warning", "walls that may cut off cells"),
        "H308": Code("error", "maze or rooms that the grid cannot hold"),
        "H309": Code("error", "condition that decides nowhere where agents start"),
        "H310": Code("error", "levels between which no episode can choose"),
        "H330": Code("error", "level of another size"),
        "H331": Code("error", "level without what each level needs"),
        "H345": Code("warning", "what cannot be reached in a level"),
        "H346": Code("error", "walk to what does not stay where a level has it"),
        "H347": Code("error", "places that levels cannot have"),
        # --- start values ---
        "H270": Code("error", "start value of what begins later"),
        # --- tables, and statements in rounds ---
        "H275": Code("error", "index of a table that may be none"),
        "H276": Code("error", "table of another size than it has"),
        "H277": Code("error", "file of a table that holds no table"),
        "H278": Code("error", "number of rounds that cannot be"),
        # --- what goes through a series ---
        "H320": Code("error", "series that is none"),
        "H321": Code("error", "index that means nothing"),
        # --- locals ---
        "H360": Code("error", "local that is not known here"),
        "H361": Code("error", "statement that writes a local"),
        # --- what agents have of each other ---
        "H322": Code("error", "pairs of an unknown number of agents, or of too many"),
        "H323": Code("error", "what pairs of agents cannot have or do"),
        "H324": Code("error", "what two agents have, where they are not two"),
        "H338": Code("error", "link of an agent that is none"),
        "H339": Code("error", "link to oneself"),
        "H340": Code("error", "link that is there already"),
        "H341": Code("error", "file that has no links"),
        # --- what agents write into cells ---
        "H335": Code("error", "what agents write that no cell has"),
        "H336": Code("error", "cells written by who is no agent"),
        # --- what is observed value by value, and in groups ---
        "H280": Code("error", "number observed value by value that may be no whole one"),
        "H281": Code("error", "number observed value by value that has too many"),
        "H282": Code("error", "channel that does not fit an image"),
        "H283": Code("error", "item outside of the groups of an observation"),
        "H271": Code("error", "draw for an episode that draws nothing"),
        "H272": Code("error", "statement that writes what is drawn once"),
        # --- windows that turn, and of expressions ---
        "H300": Code("error", "window that no grid has"),
        "H301": Code("error", "window that is too large to be looked through"),
        "H302": Code("error", "window that shows the same of every cell"),
        "H332": Code("error", "what is not asked of the agents on each cell"),
        "H333": Code("error", "what is not known of an agent by itself, counted on cells"),
        "H352": Code("error", "window of where something is open that always is"),
        "H353": Code("error", "number in a group of whole numbers that may be none"),
        "H354": Code("error", "axes that no image has"),
        "H355": Code("error", "what is observed outside of its range"),
        "H356": Code("error", "texts that are more or fewer than the values of a number"),
    }
)
