-- What the console shows, and what operators do there. PostGraphile serves this schema, so it holds only views without secrets and
-- functions that ask `operator.require` first. It is made anew at each migration, because a view cannot lose a column otherwise.
drop schema if exists admin cascade;
create schema admin;
comment on schema admin is 'What operators see and do.';
