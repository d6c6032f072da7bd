-- Since when nothing can be added to an account, because what is kept of it is being erased.
alter table svc.account add column closed_at timestamptz;
