-- Writes a message into the outbox, and queues the step that sends it. `_key` makes it once: another one of the same name and
-- key for the same account is none. `_sealed` holds what only the recipient may read, encrypted for `_id`.
create or replace function notification.queue(_id uuid, _account uuid, _name text, _key text, _recipient text, _data jsonb,
  _sealed text) returns void language plpgsql as $$
begin
  insert into svc.notification (id, account_id, name, key, recipient, data, sealed)
    values (_id, _account, _name, _key, _recipient, _data, _sealed) on conflict do nothing;
  if found then
    perform step.queue('notification.send', json_build_object('id', _id), now(), _id::text);
  end if;
end $$;

-- A message to the owner of an account. Without a known mail address it can be read in the dashboard only.
create or replace function notification.tell_owner(_account uuid, _name text, _key text, _data jsonb) returns void
language sql as $$
  select notification.queue(gen_random_uuid(), _account, _name, _key, notification.find_address(_account), _data, null)
$$;

-- The address by which the owner signs in, or the one that a sign-in provider has told.
create or replace function notification.find_address(_account uuid) returns text language sql stable as $$
  select i.email from svc.identity i where i.account_id = _account and i.email is not null
  order by i.provider <> 'email', i.created_at, i.subject limit 1
$$;

create or replace function notification.read_waiting(_id uuid) returns json language sql stable as $$
  select json_build_object('name', n.name, 'recipient', n.recipient, 'data', n.data, 'sealed', n.sealed)
  from svc.notification n where n.id = _id and n.state = 'waiting'
$$;

create or replace function notification.settle(_id uuid, _state text, _error text) returns void language sql as $$
  update svc.notification set state = _state, attempts = attempts + (_state <> 'kept')::integer, last_error = _error, sealed = null,
    ended_at = clock_timestamp()
  where id = _id and state = 'waiting'
$$;

create or replace function notification.note_failure(_id uuid, _error text) returns void language sql as $$
  update svc.notification set attempts = attempts + 1, last_error = left(_error, 1000) where id = _id and state = 'waiting'
$$;

create or replace function notification.show(_row svc.notification) returns json language sql stable as $$
  select json_build_object('id', _row.id, 'name', _row.name, 'recipient', _row.recipient, 'data', _row.data, 'state', _row.state,
    'attempts', _row.attempts, 'lastError', _row.last_error, 'createdAt', _row.created_at, 'endedAt', _row.ended_at)
$$;

-- The messages of an account, the newest first, if wanted those of one name or in one state.
create or replace function notification.list(_account uuid, _name text, _state text, _limit integer, _offset integer) returns json
language sql stable as $$
  select coalesce(json_agg(notification.show(page) order by page.created_at desc, page.id desc), '[]') from (
    select * from svc.notification where account_id = _account and (_name is null or name = _name)
      and (_state is null or state = _state)
    order by created_at desc, id desc limit _limit offset _offset) page
$$;

-- Deletes messages past their retention. One that still waits has failed for good by then.
create or replace function notification.forget(_older_than interval, _limit integer) returns integer language plpgsql as $$
declare
  _forgotten integer;
begin
  delete from svc.notification where id in (
    select id from svc.notification where created_at < now() - _older_than order by created_at limit _limit);
  get diagnostics _forgotten = row_count;
  return _forgotten;
end $$;
