-- Records that a backup is being made. Whoever does so holds the lock of backups, so an earlier one that still runs has died.
create or replace function installation.start_backup(_id text, _address text) returns void language sql as $$
  update svc.backup set state = 'failed', ended_at = now(), reason = 'The process that made it ended.' where state = 'running';
  insert into svc.backup (id, address) values (_id, _address);
$$;

create or replace function installation.succeed_backup(_id text, _counts jsonb) returns void language sql as $$
  update svc.backup set state = 'succeeded', ended_at = clock_timestamp(), counts = _counts where id = _id;
  delete from svc.backup where started_at < now() - interval '1 year';
$$;

create or replace function installation.fail_backup(_id text, _reason text) returns void language sql as $$
  update svc.backup set state = 'failed', ended_at = clock_timestamp(), reason = _reason where id = _id;
$$;

-- The newest first.
create or replace function installation.list_backups(_limit integer) returns table (id text, address text, state text,
  started_at timestamptz, ended_at timestamptz, reason text, counts jsonb) language sql stable as $$
  select b.id, b.address, b.state, b.started_at, b.ended_at, b.reason, b.counts from svc.backup b
  order by b.started_at desc limit _limit
$$;

-- Whether the schedule asks for one now. One that failed is tried again a quarter of an hour after it began.
create or replace function installation.is_backup_due(_every_hours integer) returns boolean language sql stable as $$
  select _every_hours > 0
    and not exists (select from svc.backup b where b.state = 'succeeded'
      and b.started_at > now() - make_interval(hours => _every_hours))
    and not exists (select from svc.backup b where b.state <> 'succeeded' and b.started_at > now() - interval '15 minutes')
$$;

-- When the last whole backup began, and how many failed since.
create or replace function installation.summarise_backups() returns json language sql stable as $$
  select json_build_object('lastAt', l.started_at, 'failedSince', (select count(*) from svc.backup b
    where b.state = 'failed' and (l.started_at is null or b.started_at > l.started_at)))
  from (select max(b.started_at) as started_at from svc.backup b where b.state = 'succeeded') l
$$;
