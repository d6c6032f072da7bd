-- What apis and workers of the release before ask for until the last of them is replaced. The release after this one drops it.

-- Words with some of the keys: those of public lists, and those of uploaded ones that are searched.
create or replace function screening.find_words(_keys integer[], _lists integer[]) returns json language sql stable
set enable_seqscan = off set jit = off as $$
  select coalesce(json_agg(json_build_array(w.id, w.word, c.entries)), '[]')
  from svc.screening_word w join svc.screening_word_count c on c.word_id = w.id
  where w.keys && _keys and (w.list_id is null or w.list_id = any (_lists)) and c.entries > 0
$$;

create or replace function screening.find_candidates(_lists integer[], _versions integer[], _pairs json, _rare integer[], _limit integer)
returns json language sql stable set enable_seqscan = off set jit = off as $$
  with pair as (
    select array(select json_array_elements_text(p.value -> 0)::integer) as one,
      array(select json_array_elements_text(p.value -> 1)::integer) as other from json_array_elements(_pairs) p),
  found as (
    select p.entity_id from svc.screening_posting p where p.word_id = any (_rare)
    union
    select p.entity_id from pair join svc.screening_posting p on p.word_id = any (pair.one) where cardinality(pair.other) = 0
    union
    select b.entity_id from pair cross join lateral (
      select entity_id from svc.screening_posting where word_id = any (pair.one)
      intersect
      select entity_id from svc.screening_posting where word_id = any (pair.other)) b)
  select coalesce(json_agg(json_build_array(c.id::text, c.words)), '[]') from (
    select e.id, e.words from found f join svc.screening_entity e on e.id = f.entity_id
    where screening.is_in_version(e, _versions[array_position(_lists, e.list_id)]) limit _limit * (1 + json_array_length(_pairs))) c
$$;

-- What is compared of entries.
create or replace function screening.read_entities(_ids bigint[]) returns json language sql stable
set enable_seqscan = off set jit = off as $$
  select coalesce(json_agg(json_build_object('entityId', l.key || ':' || e.source_id, 'source', l.key,
    'hash', split_part(e.hash, '.', 1), 'names', e.names, 'entity', e.body)), '[]')
  from svc.screening_entity e join svc.screening_list l on l.id = e.list_id where e.id = any (_ids)
$$;

-- What is known of the first entries that versions of lists have, in the order of their ids.
create or replace function screening.read_listed(_ids bigint[], _lists integer[], _versions integer[], _limit integer)
returns json language sql stable set enable_seqscan = off set jit = off as $$
  select coalesce(json_agg(json_build_object('entityId', l.key || ':' || f.source_id, 'source', l.key,
    'hash', split_part(f.hash, '.', 1), 'names', f.names, 'entity', f.body)), '[]')
  from (
    select e.* from unnest(_ids) with ordinality o (id, place) join svc.screening_entity e on e.id = o.id
    where screening.is_in_version(e, _versions[array_position(_lists, e.list_id)]) order by o.place limit _limit) f
  join svc.screening_list l on l.id = f.list_id
$$;
