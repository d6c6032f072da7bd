-- The asset in which a job is held, so that it is charged and released in the same one.
alter table svc.job add column asset text not null default 'USD';
