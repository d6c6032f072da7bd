-- The most that a job may be charged, while that is more than what is held for it.
alter table svc.job add column ceiling_micros bigint;
alter type svc.call add attribute ceiling_micros bigint;
