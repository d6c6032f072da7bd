create or replace function screening.put_list(_list json) returns integer language sql as $$
  insert into svc.screening_list (key, title, families)
    values (_list ->> 'key', _list ->> 'title', array(select json_array_elements_text(_list -> 'families')))
    on conflict (key) do update set title = excluded.title, families = excluded.families returning id
$$;

-- Begins to load a list. What an earlier load has left must be dropped first.
create or replace function screening.begin_load(_list json, _index_version integer) returns integer language plpgsql as $$
declare
  _id integer := screening.put_list(_list);
  _version integer;
begin
  if exists (select from svc.screening_version where list_id = _id and state in ('loading', 'dropping')) then
    raise exception 'another load of the list has begun';
  end if;
  insert into svc.screening_version (list_id, index_version) values (_id, _index_version) returning id into _version;
  return _version;
end $$;

-- Gives up the loads of a list that have not ended: their worker is gone, or too slow. Returns those that are to be dropped.
create or replace function screening.stop_loads(_list text) returns integer[] language sql as $$
  update svc.screening_version v set state = 'dropping' from svc.screening_list l
    where l.id = v.list_id and l.key = _list and v.state = 'loading';
  select coalesce(array_agg(v.id order by v.id), '{}') from svc.screening_version v join svc.screening_list l on l.id = v.list_id
    where l.key = _list and v.state = 'dropping'
$$;

-- Removes some of what a load has stored that does not become current, and lets entries that it has not met be current on, from
-- one id on. Returns the last id that it looked at; null after all.
create or replace function screening.drop_entries(_version integer, _after bigint, _limit integer) returns bigint language plpgsql as $$
declare
  _load svc.screening_version;
  _last bigint;
  _stored bigint[];
begin
  select * into _load from svc.screening_version where id = _version and state = 'dropping' for no key update;
  if not found or (_load.added = 0 and _load.removed = 0) then
    return null;
  end if;
  select max(p.id) into _last from (select id from svc.screening_entity where id > _after order by id limit _limit) p;
  _stored := array(select id from svc.screening_entity
    where id > _after and id <= _last and list_id = _load.list_id and first_version = _version);
  perform screening.count_words(_stored, -1);
  delete from svc.screening_entity where id = any (_stored);
  update svc.screening_entity set end_version = null
    where id > _after and id <= _last and list_id = _load.list_id and end_version = _version;
  return _last;
end $$;

-- Removes some of what a dropped load has met in its file, and ends it with the last. Returns whether there is more.
create or replace function screening.end_drop(_version integer, _state text, _limit integer) returns boolean language plpgsql as $$
declare
  _seen integer;
begin
  delete from svc.screening_seen where (version_id, source_id) in (
    select s.version_id, s.source_id from svc.screening_seen s where s.version_id = _version limit _limit);
  get diagnostics _seen = row_count;
  if _seen < _limit then
    update svc.screening_version set state = _state where id = _version and state = 'dropping';
  end if;
  return _seen = _limit;
end $$;

-- Adds to, or takes from, the number of entries that each word of some entries is in. Entries of past versions count too,
-- because a search of a past version finds its entries by their words.
create or replace function screening.count_words(_entities bigint[], _change integer) returns void language sql as $$
  insert into svc.screening_word_count as c (word_id, entries)
    select w.word, count(*)::integer * _change from svc.screening_entity e, unnest(e.words) as w (word)
      where e.id = any (_entities) group by w.word order by w.word
    on conflict (word_id) do update set entries = c.entries + excluded.entries
$$;

create or replace function screening.require_loading(_version integer) returns svc.screening_version language plpgsql as $$
declare
  _row svc.screening_version;
begin
  select * into _row from svc.screening_version where id = _version and state = 'loading' for no key update;
  if not found then
    raise exception 'another load of the list has begun';
  end if;
  return _row;
end $$;

-- Notes the entries of a part of the file, and returns those that are new or have changed. An entry that comes twice counts once.
create or replace function screening.note_seen(_version integer, _ids text[], _hashes text[], _aliases integer[],
  _identifiers integer[]) returns text[] language plpgsql as $$
declare
  _load svc.screening_version := screening.require_loading(_version);
  _noted record;
begin
  with sent as (
    select distinct on (s.id) s.* from unnest(_ids, _hashes, _aliases, _identifiers) s (id, hash, aliases, identifiers)),
  noted as (
    insert into svc.screening_seen (version_id, source_id, hash) select _version, s.id, s.hash from sent s
      on conflict do nothing returning source_id, hash)
  select count(*) as entries, coalesce(sum(s.aliases), 0) as aliases, coalesce(sum(s.identifiers), 0) as identifiers,
    coalesce(array_agg(n.source_id) filter (where not exists (
      select from svc.screening_entity e where e.list_id = _load.list_id and e.source_id = n.source_id and e.hash = n.hash
        and e.end_version is null and e.first_version < _version)), '{}') as fresh
    into _noted from noted n join sent s on s.id = n.source_id;
  update svc.screening_version set entries = entries + _noted.entries, aliases = aliases + _noted.aliases,
    identifiers = identifiers + _noted.identifiers where id = _version;
  return _noted.fresh;
end $$;

-- Stores entries that are new or have changed, with words that were not known yet. They are not found before `activate`.
create or replace function screening.add_entities(_version integer, _entities json, _keys json) returns void language plpgsql as $$
declare
  _load svc.screening_version := screening.require_loading(_version);
  _own integer := (select l.id from svc.screening_list l where l.id = _load.list_id and l.account_id is not null);
  _added bigint[];
begin
  insert into svc.screening_word (word, keys, list_id)
    select k.key, array(select json_array_elements_text(k.value)::integer), _own from json_each(_keys) k
    where not exists (select from svc.screening_word w where w.word = k.key and coalesce(w.list_id, 0) = coalesce(_own, 0))
    order by k.key collate "C" on conflict do nothing;
  with added as (
    insert into svc.screening_entity (list_id, source_id, first_version, hash, families, words, identifiers, names, body)
      select _load.list_id, e.value ->> 'sourceId', _version, e.value ->> 'hash',
        array(select json_array_elements_text(e.value -> 'families')),
        array(select w.id from json_array_elements_text(e.value -> 'words') t (word) join svc.screening_word w
          on w.word = t.word and coalesce(w.list_id, 0) = coalesce(_own, 0) order by w.id),
        -- A worker of an earlier release, which does not list them, must not store entries that cannot be found.
        case when e.value -> 'identifiers' is not null then array(select json_array_elements_text(e.value -> 'identifiers')) end,
        (e.value -> 'names')::jsonb, (e.value -> 'body')::jsonb
      from json_array_elements(_entities) e returning id)
  select array_agg(id) into _added from added;
  perform screening.count_words(_added, 1);
  update svc.screening_version set added = added + cardinality(_added) where id = _version;
end $$;

-- What a file has lost more of than it may, said for the operator; null if it is nothing. One of many files of a list that is empty
-- leaves all entries there and takes their aliases.
create or replace function screening.find_loss(_load svc.screening_version, _last svc.screening_version, _least_share numeric)
returns text language sql immutable as $$
  select format('The new file has %s %s, the last one had %s.', c.loaded, c.name, coalesce(c.before, 0))
  from (values (1, 'entries', _load.entries, _last.entries), (2, 'aliases', _load.aliases, _last.aliases),
    (3, 'identifiers', _load.identifiers, _last.identifiers)) c (place, name, loaded, before)
  where c.loaded < coalesce(c.before, 0) * _least_share or (c.name = 'entries' and c.loaded = 0) order by c.place limit 1
$$;

-- Looks at a load that has its whole file. One that has lost more than it may is refused, one that changes nothing given up;
-- both are then to be dropped.
create or replace function screening.judge_load(_version integer, _facts json, _least_share numeric) returns json language plpgsql as $$
declare
  _load svc.screening_version := screening.require_loading(_version);
  _list svc.screening_list;
  _last svc.screening_version;
  _loss text;
  _counts json;
begin
  select * into _list from svc.screening_list where id = _load.list_id for no key update;
  select * into _last from svc.screening_version where id = _list.current_version;
  _counts := json_build_object('entries', _load.entries, 'before', _last.entries);
  _loss := screening.find_loss(_load, _last, _least_share);
  if _loss is not null then
    update svc.screening_version set state = 'dropping' where id = _version;
    perform screening.note_failure(_list.key, _loss);
    return (_counts::jsonb || '{"state": "refused"}')::json;
  end if;
  if _last.entries = _load.entries and _load.added = 0 then
    update svc.screening_version set state = 'dropping' where id = _version;
    update svc.screening_list set etag = _facts ->> 'etag' where id = _list.id;
    perform screening.note_unchanged(_list.key);
    return (_counts::jsonb || '{"state": "unchanged"}')::json;
  end if;
  return (_counts::jsonb || '{"state": "loading"}')::json;
end $$;

-- Ends some of the entries that a load has not met, from one id on, and returns the last id that it looked at; null after all.
-- The version that is current until `activate` has them still.
create or replace function screening.end_entries(_version integer, _after bigint, _limit integer) returns bigint language plpgsql as $$
declare
  _load svc.screening_version := screening.require_loading(_version);
  _ended integer;
  _last bigint;
begin
  select max(p.id) into _last from (select id from svc.screening_entity where id > _after order by id limit _limit) p;
  with ended as (
    update svc.screening_entity e set end_version = _version
      where e.id > _after and e.id <= _last and e.list_id = _load.list_id and e.end_version is null and e.first_version < _version
        and not exists (
          select from svc.screening_seen s where s.version_id = _version and s.source_id = e.source_id and s.hash = e.hash)
      returning e.id)
  select count(*) into _ended from ended;
  update svc.screening_version set removed = removed + _ended where id = _version;
  return _last;
end $$;

-- Makes a load the current version of its list, at once for everyone (Decision 0290). What takes long has been done before, or is left to
-- `clear_list`.
create or replace function screening.activate(_version integer, _facts json) returns void language plpgsql as $$
declare
  _load svc.screening_version := screening.require_loading(_version);
begin
  update svc.screening_version set state = 'active', loaded_at = now(), sha256 = _facts ->> 'sha256',
    published_at = _facts ->> 'publishedAt' where id = _version;
  update svc.screening_list set current_version = _version, etag = _facts ->> 'etag', checked_at = now(), failure = null,
    failed_at = null where id = _load.list_id;
  perform step.queue_in('screening.rescreen', 'screening.rescreen', json_build_object('versionId', _version), now(),
    _load.list_id::text);
end $$;

-- Forgets all but the newest versions of the list of a version, and some of what only those had, or loads that have ended.
-- Returns whether there is more.
create or replace function screening.clear_list(_version integer, _keep integer, _limit integer) returns boolean language plpgsql as $$
declare
  _list integer := (select list_id from svc.screening_version where id = _version);
  _oldest integer;
  _ended bigint[];
  _seen integer;
begin
  select min(v.id) into _oldest from (select id from svc.screening_version where list_id = _list and state = 'active'
    order by id desc limit _keep) v;
  update svc.screening_version set state = 'forgotten' where list_id = _list and state = 'active' and id < _oldest;
  delete from svc.screening_version where list_id = _list and state not in ('active', 'loading', 'dropping') and id < _oldest - 100;
  _ended := array(select id from svc.screening_entity where list_id = _list and end_version <= _oldest limit _limit);
  perform screening.count_words(_ended, -1);
  delete from svc.screening_entity where id = any (_ended);
  delete from svc.screening_seen where (version_id, source_id) in (
    select s.version_id, s.source_id from svc.screening_version v join svc.screening_seen s on s.version_id = v.id
    where v.list_id = _list and v.state <> 'loading' limit _limit);
  get diagnostics _seen = row_count;
  -- What a load has written last waits outside of the indexes, where every search would look through it.
  perform gin_clean_pending_list('svc.screening_word_by_key'), gin_clean_pending_list('svc.screening_entity_by_identifier');
  return cardinality(_ended) = _limit or _seen = _limit;
end $$;

-- A source was asked and had nothing new.
create or replace function screening.note_unchanged(_list text) returns void language sql as $$
  update svc.screening_list set checked_at = now(), failure = null, failed_at = null where key = _list
$$;

create or replace function screening.note_failure(_list text, _failure text) returns void language sql as $$
  update svc.screening_list set failure = left(_failure, 500), failed_at = now() where key = _list
$$;

create or replace function screening.note_failure_of(_list json, _failure text) returns void language sql as $$
  select screening.put_list(_list), screening.note_failure(_list ->> 'key', _failure)
$$;

create or replace function screening.fail_load(_version integer, _failure text) returns void language plpgsql as $$
declare
  _load svc.screening_version;
begin
  select * into _load from svc.screening_version where id = _version and state = 'loading' for no key update;
  if found then
    update svc.screening_version set state = 'dropping' where id = _version;
    perform screening.note_failure((select l.key from svc.screening_list l where l.id = _load.list_id), _failure);
  end if;
end $$;

-- Queues the refreshes of lists that are not queued yet, spread over a minute.
create or replace function screening.ensure_refreshes(_lists text[]) returns void language sql as $$
  select step.queue_in(screening.name_queue(l), 'screening.refresh', json_build_object('list', l),
    now() + random() * interval '1 minute', l)
  from unnest(_lists) l where not exists (
    select from lane_step._private_jobs j where j.key = 'screening.refresh:' || l and j.attempts < j.max_attempts)
$$;

create or replace function screening.queue_refresh(_list text, _seconds integer) returns void language sql as $$
  select step.queue_in(screening.name_queue(_list), 'screening.refresh', json_build_object('list', _list),
    now() + make_interval(secs => _seconds), _list)
$$;

-- The refresh after one that ends.
create or replace function screening.queue_next_refresh(_list text, _seconds integer) returns void language sql as $$
  select step.queue_next_in(screening.name_queue(_list), 'screening.refresh', json_build_object('list', _list),
    now() + make_interval(secs => _seconds), _list)
$$;

-- A refresh takes long, so two run at once at most and leave the other places to what callers wait for.
create or replace function screening.name_queue(_list text) returns text language sql immutable as $$
  select 'screening.refresh ' || (hashtext(_list) & 1)
$$;

-- What a refresh needs to know of a list.
create or replace function screening.read_state(_list text) returns json language sql stable as $$
  select json_build_object('etag', case when v.id is not null then l.etag end, 'sha256', v.sha256, 'indexVersion', v.index_version)
  from svc.screening_list l left join svc.screening_version v on v.id = l.current_version where l.key = _list
$$;
