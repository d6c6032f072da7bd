-- Lists that an account has uploaded.
create or replace function screening.list_own(_account uuid) returns json language sql stable as $$
  select coalesce(json_agg(l.key order by l.key), '[]') from svc.screening_list l where l.account_id = _account
$$;

-- Names the list of an account before it is loaded. One that never got a version was begun by a call that failed.
create or replace function screening.put_own_list(_account uuid, _list json, _max integer) returns void language plpgsql as $$
declare
  _key text := _list ->> 'key';
  _left integer;
begin
  perform pg_advisory_xact_lock(hashtextextended('screening lists ' || _account, 0));
  for _left in select id from svc.screening_list where account_id = _account and key <> _key and current_version is null
      and created_at < now() - interval '1 day' loop
    perform screening.drop_list(_left);
  end loop;
  update svc.screening_list set title = _list ->> 'title' where key = _key and account_id = _account;
  if found then
    return;
  end if;
  if exists (select from svc.screening_list where key = _key) or not (_list ->> 'isNew')::boolean then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  if (select count(*) from svc.screening_list where account_id = _account) >= _max then
    raise exception 'TOO_MANY_LISTS' using errcode = 'SVC01', detail = json_build_object('max', _max)::text;
  end if;
  insert into svc.screening_list (key, account_id, title, families) values (_key, _account, _list ->> 'title', '{custom}');
end $$;

-- Ends the job of an upload and makes what it has loaded current, both or neither. Returns false, and does nothing, if the job has
-- ended or belongs to a later attempt.
create or replace function screening.finish_own_load(_ending json, _result text, _version integer, _facts json) returns boolean
language plpgsql as $$
declare
  _ended svc.job[];
begin
  -- Jobs are locked before all else everywhere.
  perform from svc.job where id = (_ending ->> 'id')::uuid for no key update;
  _ended := job.close(array[row((_ending ->> 'id')::uuid, (_ending ->> 'acct')::uuid, (_ending ->> 'attempt')::integer, 'succeeded',
    (_ending ->> 'charge')::bigint, _result::json, null, (_ending ->> 'started')::timestamptz, null)::svc.closing]);
  if cardinality(_ended) = 0 then
    raise exception using errcode = 'SVC03';
  end if;
  if _version is not null then
    perform screening.activate(_version, _facts);
  end if;
  perform job.announce(_ended);
  return true;
exception when sqlstate 'SVC03' then
  return false;
end $$;

-- Deletes a list that no active monitor searches.
create or replace function screening.delete_own_list(_account uuid, _key text) returns void language plpgsql as $$
declare
  _list integer;
  _monitors integer;
begin
  select id into _list from svc.screening_list where key = _key and account_id = _account for update;
  if not found then
    raise exception 'NOT_FOUND' using errcode = 'SVC01';
  end if;
  select count(*) into _monitors from svc.screening_monitor m where m.account_id = _account and m.state = 'active'
    and (m.request -> 'sources' ? _key or m.request -> 'lists' ? 'custom');
  if _monitors > 0 then
    raise exception 'LIST_IN_USE' using errcode = 'SVC01', detail = json_build_object('monitors', _monitors)::text;
  end if;
  perform screening.drop_list(_list);
end $$;
