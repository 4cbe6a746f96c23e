"""Widgets for the book and for Jupyter. Importing this needs anywidget; `import attnlib` does not."""

from anywidget_static import InputError
from attnlib.widgets.attention_grid import AttentionGrid
from attnlib.widgets.axes_puzzle import AxesPuzzle
from attnlib.widgets.budget_puzzle import BudgetPuzzle
from attnlib.widgets.cheat_puzzle import CheatPuzzle
from attnlib.widgets.choice import Choice
from attnlib.widgets.context_puzzle import ContextPuzzle
from attnlib.widgets.convention_switch import ConventionSwitch
from attnlib.widgets.cost_calculator import CostCalculator
from attnlib.widgets.cycle_puzzle import CyclePuzzle
from attnlib.widgets.fill_table import FillTable
from attnlib.widgets.head_browser import HeadBrowser
from attnlib.widgets.head_mixer import HeadMixer
from attnlib.widgets.head_tiles import HeadTiles
from attnlib.widgets.heads_puzzle import HeadsPuzzle
from attnlib.widgets.kin_puzzle import KinPuzzle
from attnlib.widgets.layers_puzzle import LayersPuzzle
from attnlib.widgets.light_cones import LightCones
from attnlib.widgets.lookup_puzzle import LookupPuzzle
from attnlib.widgets.marks_puzzle import MarksPuzzle
from attnlib.widgets.mask_painter import MaskPainter
from attnlib.widgets.metric_ellipse import MetricEllipse
from attnlib.widgets.model_view import ModelView
from attnlib.widgets.number_question import Number
from attnlib.widgets.order_puzzle import OrderPuzzle
from attnlib.widgets.query_puzzle import QueryPuzzle
from attnlib.widgets.query_stepper import QueryStepper
from attnlib.widgets.rates_puzzle import RatesPuzzle
from attnlib.widgets.roles_puzzle import RolesPuzzle
from attnlib.widgets.roofline_lab import RooflineLab
from attnlib.widgets.rotary_dial import RotaryDial
from attnlib.widgets.scaling_lab import ScalingLab
from attnlib.widgets.scaling_puzzle import ScalingPuzzle
from attnlib.widgets.silence_puzzle import SilencePuzzle
from attnlib.widgets.softmax_sliders import SoftmaxSliders
from attnlib.widgets.speeds_puzzle import SpeedsPuzzle
from attnlib.widgets.streaming_softmax import StreamingSoftmax
from attnlib.widgets.tensor_counter import TensorCounter
from attnlib.widgets.three_spaces import ThreeSpaces
from attnlib.widgets.token_plane import TokenPlane
from attnlib.widgets.train_u import TrainU

__all__ = [
    "AttentionGrid",
    "AxesPuzzle",
    "BudgetPuzzle",
    "CheatPuzzle",
    "Choice",
    "ContextPuzzle",
    "ConventionSwitch",
    "CostCalculator",
    "CyclePuzzle",
    "FillTable",
    "HeadBrowser",
    "HeadMixer",
    "HeadTiles",
    "HeadsPuzzle",
    "InputError",
    "KinPuzzle",
    "LayersPuzzle",
    "LightCones",
    "LookupPuzzle",
    "MarksPuzzle",
    "MaskPainter",
    "MetricEllipse",
    "ModelView",
    "Number",
    "OrderPuzzle",
    "QueryPuzzle",
    "QueryStepper",
    "RatesPuzzle",
    "RolesPuzzle",
    "RooflineLab",
    "RotaryDial",
    "ScalingLab",
    "ScalingPuzzle",
    "SilencePuzzle",
    "SoftmaxSliders",
    "SpeedsPuzzle",
    "StreamingSoftmax",
    "TensorCounter",
    "ThreeSpaces",
    "TokenPlane",
    "TrainU",
]
