"""The client of one coinop installation, made by it from its own catalogue."""

from coinop.asynchronous import AsyncCoinop
from coinop.client import Coinop
from coinop.errors import CoinopError, ConnectionFailed, PaymentRefused
from coinop.options import CallOptions, Charge, Progress
from coinop.problems import *  # noqa: F403
from coinop.receipt import ReceiptError, verify_receipt
from coinop.request import Binary
from coinop.tickets import Ticket
from coinop.version import __version__
from coinop.wallet.account import Wallet
from coinop.webhooks import WebhookError, WebhookEvent, verify_mailbox_message, verify_webhook
from coinop.witness import WitnessError, verify_witness

__all__ = [name for name in dir() if not name.startswith("_")] + ["__version__"]
