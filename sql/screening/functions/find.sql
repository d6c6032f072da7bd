-- The lists that an account can screen against, with the version of each: the current one, or the one of a past time.
create or replace function screening.list_versions(_account uuid, _as_of integer) returns json language plpgsql stable as $$
declare
  _time timestamptz;
begin
  if _as_of is not null then
    select v.loaded_at into _time from svc.screening_version v join svc.screening_list l on l.id = v.list_id
      where v.id = _as_of and v.state = 'active' and (l.account_id is null or l.account_id = _account);
    if not found then
      raise exception 'SCREENING_VERSION_UNKNOWN' using errcode = 'SVC01', detail = json_build_object('asOf', _as_of)::text;
    end if;
  end if;
  return (select coalesce(json_agg(json_build_object('key', l.key, 'title', l.title, 'families', l.families, 'isOwn',
      l.account_id is not null, 'listId', l.id, 'version', v.id, 'publishedAt', v.published_at, 'loadedAt', v.loaded_at,
      'checkedAt', l.checked_at, 'entries', v.entries, 'sha256', v.sha256, 'failure', l.failure) order by l.key), '[]')
    from svc.screening_list l left join lateral (
      select * from svc.screening_version a where a.list_id = l.id and a.state = 'active'
        and (_time is null or a.loaded_at <= _time) and a.id <= l.current_version order by a.id desc limit 1) v on true
    where l.account_id is null or l.account_id = _account);
end $$;

-- The versions of lists that are kept, the newest of each list first: a search can be of the time of each.
create or replace function screening.list_kept(_lists integer[], _limit integer) returns json language sql stable as $$
  select coalesce(json_agg(json_build_object('listId', v.list_id, 'version', v.id, 'loadedAt', v.loaded_at,
    'publishedAt', v.published_at, 'entries', v.entries) order by v.id desc), '[]')
  from svc.screening_list l cross join lateral (
    select * from svc.screening_version a where a.list_id = l.id and a.state = 'active' and a.id <= l.current_version
      order by a.id desc limit _limit) v
  where l.id = any (_lists)
$$;

-- The words with each of the keys: those of some uploaded lists, or without any those of public lists. Keys that no word has are left out.
create or replace function screening.list_words(_keys integer[], _lists integer[]) returns json language sql stable
set enable_seqscan = off set jit = off as $$
  select coalesce(json_agg(json_build_array(k.key, f.words)), '[]')
  from unnest(_keys) k (key) cross join lateral (
    select json_agg(json_build_array(w.id, w.word, c.entries)) as words
    from svc.screening_word w join svc.screening_word_count c on c.word_id = w.id
    where w.keys @> array[k.key] and c.entries > 0
      and case when _lists is null then w.list_id is null else w.list_id = any (_lists) end) f
  where f.words is not null
$$;

-- The entries that have each of the words, of every version that is kept.
create or replace function screening.list_postings(_words integer[]) returns json language sql stable
set enable_seqscan = off set jit = off as $$
  select coalesce(json_agg(json_build_array(f.word_id, f.entities)), '[]') from (
    select p.word_id, json_agg(p.entity_id) as entities
    from unnest(_words) w (word) join svc.screening_posting p on p.word_id = w.word group by p.word_id) f
$$;

-- In how many entries of public lists words are.
create or replace function screening.count_entries(_words text[]) returns json language sql stable
set enable_seqscan = off set jit = off as $$
  select coalesce(json_object_agg(w.word, c.entries), '{}')
  from svc.screening_word w join svc.screening_word_count c on c.word_id = w.id
  where w.word = any (_words) and coalesce(w.list_id, 0) = 0
$$;

-- Whether a version of its list has an entry; without a version none has. It is inlined, and no index can serve it, so that it
-- never takes the place of the index of what is looked for.
create or replace function screening.is_in_version(_entity svc.screening_entity, _version integer) returns boolean
language sql immutable as $$
  select _entity.first_version <= _version and (_entity.end_version is null or _entity.end_version > _version)
$$;

-- Entries of versions of lists that have one of the keys of identifiers.
create or replace function screening.find_identified(_lists integer[], _versions integer[], _keys text[], _limit integer)
returns json language sql stable set enable_seqscan = off set jit = off as $$
  select coalesce(json_agg(f.id::text), '[]') from (
    select e.id from svc.screening_entity e where e.identifiers && _keys
      and screening.is_in_version(e, _versions[array_position(_lists, e.list_id)]) limit _limit) f
$$;

-- What is compared of the first entries that versions of lists have, in the order of their ids; of facts, those that the subject
-- tells too. After a point, a stored hash names the rules of the index, which are no change of the entry.
create or replace function screening.read_compared(_ids bigint[], _lists integer[], _versions integer[], _limit integer, _facts text[])
returns json language sql stable set enable_seqscan = off set jit = off as $$
  select coalesce(json_agg(json_build_array(f.id, l.key, f.source_id, split_part(f.hash, '.', 1), f.names, f.body -> 'type',
    f.body -> 'families', f.body -> 'topics',
    case when _facts <> '{}' then (select jsonb_object_agg(a.fact, f.body -> a.fact) from unnest(_facts) a (fact)) end)), '[]')
  from (
    select e.* from unnest(_ids) with ordinality o (id, place) join svc.screening_entity e on e.id = o.id
    where screening.is_in_version(e, _versions[array_position(_lists, e.list_id)]) order by o.place limit _limit) f
  join svc.screening_list l on l.id = f.list_id
$$;

-- All that is known of entries, of which only those that match are shown.
create or replace function screening.read_bodies(_ids bigint[]) returns json language sql stable
set enable_seqscan = off set jit = off as $$
  select coalesce(json_agg(json_build_array(e.id, e.body)), '[]') from svc.screening_entity e where e.id = any (_ids)
$$;
