create or replace function screening.put_list(_list json) returns integer language sql as $$
  insert into svc.screening_list (key, title, families)
    values (_list ->> 'key', _list ->> 'title', array(select json_array_elements_text(_list -> 'families')))
    on conflict (key) do update set title = excluded.title, families = excluded.families returning id
$$;

-- Begins to load a list, and gives up a load of it that has not ended: its worker is gone, or too slow.
create or replace function screening.begin_load(_list json, _index_version integer) returns integer language plpgsql as $$
declare
  _id integer := screening.put_list(_list);
  _version integer;
begin
  for _version in select id from svc.screening_version where list_id = _id and state = 'loading' for update loop
    perform screening.drop_load(_version, 'abandoned');
  end loop;
  insert into svc.screening_version (list_id, index_version) values (_id, _index_version) returning id into _version;
  return _version;
end $$;

-- Removes what a load has stored that does not become current.
create or replace function screening.drop_load(_version integer, _state text) returns void language plpgsql as $$
begin
  delete from svc.screening_entity e using svc.screening_version v
    where v.id = _version and e.list_id = v.list_id and e.first_version = _version;
  delete from svc.screening_seen where version_id = _version;
  update svc.screening_version set state = _state where id = _version;
end $$;

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
create or replace function screening.note_seen(_version integer, _ids text[], _hashes text[]) returns text[] language plpgsql as $$
declare
  _load svc.screening_version := screening.require_loading(_version);
  _fresh text[];
begin
  with noted as (
    insert into svc.screening_seen (version_id, source_id, hash)
      select distinct on (s.id) _version, s.id, s.hash from unnest(_ids, _hashes) s (id, hash)
      on conflict do nothing returning source_id, hash)
  select coalesce(array_agg(n.source_id), '{}') into _fresh from noted n where not exists (
    select from svc.screening_entity e where e.list_id = _load.list_id and e.source_id = n.source_id and e.hash = n.hash
      and e.end_version is null and e.first_version < _version);
  return _fresh;
end $$;

-- Stores entries that are new or have changed, with words that were not known yet. They are not found before `activate`.
create or replace function screening.add_entities(_version integer, _entities json, _keys json) returns void language plpgsql as $$
declare
  _load svc.screening_version := screening.require_loading(_version);
begin
  insert into svc.screening_word (word, keys)
    select k.key, array(select json_array_elements_text(k.value)::integer) from json_each(_keys) k
    where not exists (select from svc.screening_word w where w.word = k.key)
    order by k.key collate "C" on conflict do nothing;
  insert into svc.screening_entity (list_id, source_id, first_version, hash, families, words, names, body)
    select _load.list_id, e.value ->> 'sourceId', _version, e.value ->> 'hash',
      array(select json_array_elements_text(e.value -> 'families')),
      array(select w.id from json_array_elements_text(e.value -> 'words') t (word) join svc.screening_word w on w.word = t.word
        order by w.id),
      (e.value -> 'names')::jsonb, (e.value -> 'body')::jsonb
    from json_array_elements(_entities) e;
end $$;

-- Makes a load the current version of its list, at once for everyone. One that has lost more than it may is refused.
create or replace function screening.activate(_version integer, _facts json, _least_share numeric, _keep integer) returns json
language plpgsql as $$
declare
  _load svc.screening_version;
  _list svc.screening_list;
  _entries integer;
  _before integer;
begin
  -- The counts of words are those of all lists.
  perform pg_advisory_xact_lock(hashtextextended('screening activate', 0));
  _load := screening.require_loading(_version);
  select * into _list from svc.screening_list where id = _load.list_id for no key update;
  select count(*) into _entries from svc.screening_seen where version_id = _version;
  select entries into _before from svc.screening_version where id = _list.current_version;
  if _entries = 0 or _entries < coalesce(_before, 0) * _least_share then
    perform screening.drop_load(_version, 'refused');
    perform screening.note_failure(_list.key, format('The new file has %s entries, the last one had %s.', _entries, coalesce(_before, 0)));
    return json_build_object('state', 'refused', 'entries', _entries, 'before', _before);
  end if;
  if screening.is_same(_load, _list.current_version, _before, _entries) then
    perform screening.drop_load(_version, 'abandoned');
    update svc.screening_list set etag = _facts ->> 'etag' where id = _list.id;
    perform screening.note_unchanged(_list.key);
    return json_build_object('state', 'unchanged', 'entries', _entries, 'before', _before);
  end if;
  update svc.screening_entity e set end_version = _version
    where e.list_id = _list.id and e.end_version is null and e.first_version < _version and not exists (
      select from svc.screening_seen s where s.version_id = _version and s.source_id = e.source_id and s.hash = e.hash);
  perform screening.count_words(_list.id, _version);
  update svc.screening_version set state = 'active', entries = _entries, loaded_at = now(), sha256 = _facts ->> 'sha256',
    published_at = _facts ->> 'publishedAt',
    added = (select count(*) from svc.screening_entity where list_id = _list.id and first_version = _version),
    removed = (select count(*) from svc.screening_entity where list_id = _list.id and end_version = _version)
    where id = _version;
  delete from svc.screening_seen where version_id = _version;
  update svc.screening_list set current_version = _version, etag = _facts ->> 'etag', checked_at = now(), failure = null,
    failed_at = null where id = _list.id;
  perform screening.forget_versions(_list.id, _keep);
  perform step.queue('screening.rescreen', json_build_object('versionId', _version), now(), _list.id::text);
  return json_build_object('state', 'active', 'entries', _entries, 'before', _before);
end $$;

-- Whether a load has the entries of the current version and no others. Entries that changed are new ones too.
create or replace function screening.is_same(_load svc.screening_version, _current integer, _before integer, _entries integer)
returns boolean language sql stable as $$
  select _current is not null and _entries = _before
    and not exists (select from svc.screening_entity e where e.list_id = _load.list_id and e.first_version = _load.id)
$$;

-- Brings up to date in how many entries each word of new and ended entries is.
create or replace function screening.count_words(_list integer, _version integer) returns void language sql as $$
  update svc.screening_word w set entries = w.entries + d.change
  from (select c.word, sum(c.change)::integer as change from (
      select unnest(e.words) as word, 1 as change from svc.screening_entity e where e.list_id = _list and e.first_version = _version
      union all
      select unnest(e.words), -1 from svc.screening_entity e where e.list_id = _list and e.end_version = _version) c
    group by c.word) d
  where w.id = d.word and d.change <> 0
$$;

-- Forgets all but the newest versions of a list, with the entries that none of those has.
create or replace function screening.forget_versions(_list integer, _keep integer) returns void language plpgsql as $$
declare
  _oldest integer;
begin
  select min(v.id) into _oldest from (select id from svc.screening_version where list_id = _list and state = 'active'
    order by id desc limit _keep) v;
  delete from svc.screening_entity where list_id = _list and end_version <= _oldest;
  update svc.screening_version set state = 'forgotten' where list_id = _list and state = 'active' and id < _oldest;
  delete from svc.screening_version where list_id = _list and state <> 'active' and id < _oldest - 100;
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
    perform screening.drop_load(_version, 'refused');
    perform screening.note_failure((select l.key from svc.screening_list l where l.id = _load.list_id), _failure);
  end if;
end $$;

-- Queues the refreshes of lists that are not queued yet, spread over a minute.
create or replace function screening.ensure_refreshes(_lists text[]) returns void language sql as $$
  select step.queue('screening.refresh', json_build_object('list', l), now() + random() * interval '1 minute', l)
  from unnest(_lists) l where not exists (
    select from lane_step._private_jobs j where j.key = 'screening.refresh:' || l and j.attempts < j.max_attempts)
$$;

create or replace function screening.queue_refresh(_list text, _seconds integer) returns void language sql as $$
  select step.queue('screening.refresh', json_build_object('list', _list), now() + make_interval(secs => _seconds), _list)
$$;

-- What a refresh needs to know of a list.
create or replace function screening.read_state(_list text) returns json language sql stable as $$
  select json_build_object('etag', case when v.id is not null then l.etag end, 'sha256', v.sha256, 'indexVersion', v.index_version)
  from svc.screening_list l left join svc.screening_version v on v.id = l.current_version where l.key = _list
$$;
