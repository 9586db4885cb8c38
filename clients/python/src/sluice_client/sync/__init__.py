"""The client for programs without asyncio: the same calls, which wait for their results."""

from .client import Client, Node, Owner, connect
from .service import Service
from .stream import Stream

__all__ = ["Client", "Node", "Owner", "Service", "Stream", "connect"]
