-- Sources that jobs have drawn from batons: a job draws once, however often it is attempted, and what it has drawn is kept until
-- it must have ended.
create table svc.baton_draw (
  job_id uuid not null,
  place integer not null,
  baton_id uuid not null,
  object_key text,
  until timestamptz not null,
  primary key (job_id, place)
);
create index baton_draw_end on svc.baton_draw (until);
create index baton_draw_of_object on svc.baton_draw (object_key) where object_key is not null;

-- Used from the next migration on, because a value cannot be used in the transaction that adds it.
alter type svc.lease_kind add value 'storage';
