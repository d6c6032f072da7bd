-- The tables may have been small when a statement was planned, so that a scan of all of it seemed best. Those that look for
-- some of many vectors are planned without, here and in the other files.

-- The vector with an id. Its number is also that of its floats.
create or replace function vector.find(_baton uuid, _namespace text, _id text) returns svc.vector language plpgsql stable
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  _found svc.vector;
begin
  select v.* into _found from svc.vector_id x
    join svc.vector v on v.baton_id = x.baton_id and v.namespace = x.namespace and v.number = x.number
    where x.baton_id = _baton and x.namespace = _namespace and x.id = _id;
  if not found then
    perform baton.refuse('NOT_FOUND', json_build_object('vector', _id));
  end if;
  return _found;
end $$;

-- What a search begins with. Nothing is drawn yet.
create or replace function vector.open(_by json, _ask json) returns json language plpgsql as $$
declare
  _visit svc.baton_visit := vector.admit(_by, 'read');
  _baton svc.baton := _visit.baton;
  _index svc.vector_index;
  _like svc.vector;
begin
  perform baton.require_readable(_baton, _visit.token, 0);
  select * into _index from svc.vector_index where baton_id = _baton.id;
  perform vector.require_model(_index, _ask ->> 'textModel');
  if _index.dimensions <> (_ask ->> 'dimensions')::integer then
    perform baton.refuse('DIMENSION_MISMATCH',
      json_build_object('expected', _index.dimensions, 'actual', (_ask ->> 'dimensions')::integer));
  end if;
  if _ask ->> 'id' is not null then
    _like := vector.find(_baton.id, _ask ->> 'namespace', _ask ->> 'id');
  end if;
  return (select json_build_object('batonId', _baton.id, 'dimensions', _index.dimensions, 'metric', _index.metric,
      'model', _index.model, 'likeNumber', _like.number, 'likeValues', encode(f.floats, 'hex'), 'count', coalesce(n.count, 0),
      'textCount', coalesce(n.text_count, 0), 'wordCount', coalesce(n.word_count, 0),
      'lastNumber', n.last_number, 'removedAt', n.removed_at::text,
      'space', vector.describe_space(_baton.id, _ask ->> 'namespace', 1000))
    from (select) one
      left join svc.vector_floats f
        on f.baton_id = _baton.id and f.namespace = _like.namespace and f.number = _like.number
      left join svc.vector_namespace n on n.baton_id = _baton.id and n.name = _ask ->> 'namespace');
end $$;

-- Some of the vectors of a namespace after a number, for a process that keeps them in memory. They are read in the order of
-- the index up to the limit, never all and then sorted.
create or replace function vector.load(_baton uuid, _namespace text, _after integer, _until integer, _limit integer)
returns table (numbers bytea, floats bytea) language sql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set jit = off as $$
  select string_agg(int4send(p.number), ''::bytea order by p.number), string_agg(p.floats, ''::bytea order by p.number)
  from (select f.number, f.floats from svc.vector_floats f
    where f.baton_id = _baton and f.namespace = _namespace and f.number > _after and f.number <= _until
    order by f.number limit _limit) p
$$;

create or replace function vector.list_numbers(_baton uuid, _namespace text) returns bytea language sql stable
set enable_seqscan = off set jit = off as $$
  select coalesce(string_agg(int4send(number), ''::bytea order by number), '') from svc.vector
  where baton_id = _baton and namespace = _namespace
$$;

-- The vectors that a filter lets pass, and the group of each: the hash of the field, 0 if it has none.
create or replace function vector.find_candidates(_baton uuid, _namespace text, _filter text, _group text)
returns table (numbers bytea, groups bytea) language sql stable
set enable_seqscan = off set jit = off as $$
  select coalesce(string_agg(int4send(p.number), ''::bytea order by p.number), ''),
    case when _group is not null then coalesce(string_agg(int8send(p.hash), ''::bytea order by p.number), '') end
  from (select v.number, coalesce(jsonb_hash_extended(v.metadata -> _group, 0), 0) as hash
    from svc.vector v where v.baton_id = _baton and v.namespace = _namespace
      and (_filter is null or v.metadata @@ _filter::jsonpath) order by v.number) p
$$;

-- The words of some of the texts of a namespace after a number, for a process that keeps them in memory.
create or replace function vector.load_words(_baton uuid, _namespace text, _after integer, _until integer, _limit integer)
returns json language sql stable set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set jit = off as $$
  select coalesce(json_agg(json_build_object('number', p.number, 'wordCount', p.word_count, 'words', p.words) order by p.number), '[]')
  from (select v.number, v.word_count, v.words from svc.vector v
    where v.baton_id = _baton and v.namespace = _namespace and v.number > _after and v.number <= _until and v.word_count > 0
    order by v.number limit _limit) p
$$;

-- The vectors whose texts have some of the words, best first by BM25. Where a process cannot keep the words in memory, all
-- texts are looked through. Their words are unpacked once, not for each question asked of them.
create or replace function vector.rank_words(_baton uuid, _namespace text, _filter text, _words text[], _limit integer)
returns bytea language sql stable
set enable_seqscan = off set jit = off as $$
  with space as (
    select greatest(text_count, 1)::double precision as texts, greatest(word_count, 1) / greatest(text_count, 1)::double precision as length
    from svc.vector_namespace where baton_id = _baton and name = _namespace
  ), hit as materialized (
    select v.number, v.word_count, h.word, h.count, _filter is null or v.metadata @@ _filter::jsonpath as passes
    from svc.vector v cross join lateral (
      select w.word, (o.words ->> w.word)::double precision as count
      from (select v.words || '{}' as words offset 0) o cross join unnest(_words) w (word) where o.words ? w.word
    ) h
    where v.baton_id = _baton and v.namespace = _namespace and v.word_count > 0
  ), word as (
    select h.word, ln(1 + (s.texts - count(*) + 0.5) / (count(*) + 0.5)) as weight
    from hit h cross join space s group by h.word, s.texts
  ), ranked as (
    select h.number, sum(w.weight * h.count * 2.2 / (h.count + 1.2 * (0.25 + 0.75 * h.word_count / s.length))) as score
    from hit h join word w using (word) cross join space s
    where h.passes group by h.number order by score desc, h.number limit _limit
  )
  select coalesce(string_agg(int4send(number), ''::bytea order by score desc, number), '') from ranked
$$;

-- What is shown of vectors that were found. Checks no caller: `vector.finish_query` draws it before it is sent.
create or replace function vector.fetch(_baton uuid, _namespace text, _numbers integer[], _with json)
returns table (number integer, id text, metadata json, body text, floats bytea, shown_bytes integer) language sql stable
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
  select v.number, v.id, case when (_with ->> 'metadata')::boolean then v.metadata::json end,
    case when (_with ->> 'text')::boolean then v.body end, f.floats,
    case when (_with ->> 'metadata')::boolean then octet_length(v.metadata::text) else 0 end
      + case when (_with ->> 'text')::boolean then coalesce(octet_length(v.body), 0) else 0 end
      + coalesce(octet_length(f.floats), 0)
  from svc.vector v left join svc.vector_floats f
    on (_with ->> 'values')::boolean and f.baton_id = v.baton_id and f.namespace = v.namespace and f.number = v.number
  where v.baton_id = _baton and v.namespace = _namespace and v.number = any (_numbers)
$$;

-- Draws the read of a query from the quotas and ends the paying job, all or nothing. The result is kept with the quotas
-- that are left.
create or replace function vector.finish_query(_job json, _by json, _bytes bigint, _result json) returns json language plpgsql as $$
declare
  _quotas json := baton.show_quotas(baton.consume_read(vector.admit(_by, 'read'), _bytes));
begin
  perform baton.settle(_job, baton.add_fields(_result::text, jsonb_build_object('quotas', _quotas), '[]'));
  return _quotas;
end $$;

-- Reads one vector, or a page of them in the order of their ids. What is shown is drawn from the quotas as one read.
create or replace function vector.read(_by json, _ask json) returns json language plpgsql set enable_seqscan = off as $$
declare
  _visit svc.baton_visit := vector.admit(_by, 'read');
  _baton svc.baton := _visit.baton;
  _prefix text := coalesce(_ask ->> 'prefix', '');
  _found integer[];
  _items json;
  _bytes bigint;
begin
  if _ask ->> 'id' is not null then
    _found := array[(vector.find(_baton.id, _ask ->> 'namespace', _ask ->> 'id')).number];
  else
    -- No character of an id comes after the tilde.
    _found := array(select x.number from svc.vector_id x where x.baton_id = _baton.id and x.namespace = _ask ->> 'namespace'
        and x.id > coalesce(_ask ->> 'after', '') and x.id >= _prefix and x.id < _prefix || '~'
      order by x.id limit (_ask ->> 'limit')::integer);
  end if;
  select coalesce(json_agg(json_build_object('id', f.id, 'metadata', f.metadata, 'text', f.body,
      'values', encode(f.floats, 'base64')) order by f.id collate "C"), '[]'),
    coalesce(sum(f.shown_bytes), 0) into _items, _bytes from vector.fetch(_baton.id, _ask ->> 'namespace', _found, _ask -> 'with') f;
  if cardinality(_found) > 0 then
    _baton := baton.consume_read(_visit, _bytes);
  end if;
  return json_build_object('items', _items, 'quotas', baton.show_quotas(_baton));
end $$;
