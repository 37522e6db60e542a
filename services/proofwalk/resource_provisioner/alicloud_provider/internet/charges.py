"""How the service names what a template calls a way of payment."""

from __future__ import annotations

CHARGE = {"PayAsYouGo": "PostPaid", "Subscription": "PrePaid"}
PAYMENT = {charge: payment for payment, charge in CHARGE.items()}
