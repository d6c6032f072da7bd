-- What the author of an operator's own operation gets of a charge, and what a refund takes back of it. The database takes no
-- new kind before the transaction that adds it has ended, so its sides are in the next migration.
alter type svc.transfer_kind add value if not exists 'share';
alter type svc.transfer_kind add value if not exists 'share_back';
alter type svc.transfer_kind add value if not exists 'share_debt';
