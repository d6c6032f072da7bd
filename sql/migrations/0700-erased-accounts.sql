-- When what is kept of an account was deleted. Only its books are left, so it cannot be used again.
alter table svc.account add column erased_at timestamptz;
