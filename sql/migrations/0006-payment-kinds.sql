-- A new word of an enum can be used only after the transaction that adds it, so the words come a file ahead.
alter type svc.transfer_kind add value 'chunk';
alter type svc.transfer_kind add value 'bounce';
alter type svc.transfer_kind add value 'debt';
alter type svc.transfer_kind add value 'repay';
