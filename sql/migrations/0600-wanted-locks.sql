-- Until when somebody waits for a lock; nobody is told of others that are given back.
alter table svc.coordination_lock add column wanted_until timestamptz;
