-- Attempts that a job lost because its worker died, and those that it used up itself by crashing its tools.
alter table svc.job
  add column lost smallint not null default 0,
  add column crashed smallint not null default 0;
