-- The words that a list may have; null if any.
alter table svc.tunable add column words jsonb;
