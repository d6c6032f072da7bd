-- Money that a payment provider has taken back; the words come a file ahead of their use.
alter type svc.transfer_kind add value 'reversal';
alter type svc.transfer_kind add value 'reversal_debt';
