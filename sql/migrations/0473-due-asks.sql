-- Asks of an account that end in the same moment are ended together.
create index ask_due on svc.ask (account_id, expires_at) where ended_at is null;
