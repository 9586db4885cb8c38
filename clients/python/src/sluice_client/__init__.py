"""A client of Sluice, the server of reactive graphs: live values in asyncio programs."""

from .client import Client, connect
from .delivery import Delivery
from .errors import SluiceError, UnknownOutcome
from .listening import Deliveries, Values
from .node import Node, ReadOnlyNode
from .options import Options, SetOptions
from .owner import Owner
from .state import State

__version__ = "0.1.0"
__all__ = [
    "Client", "Deliveries", "Delivery", "Node", "Options", "Owner", "ReadOnlyNode", "SetOptions",
    "SluiceError", "State", "UnknownOutcome", "Values", "connect",
]
