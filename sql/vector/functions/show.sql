create or replace function vector.show(_baton uuid) returns json language plpgsql stable as $$
begin
  return (select json_build_object('count', vector.count_all(i.baton_id), 'dimensions', i.dimensions, 'metric', i.metric,
      'model', i.model, 'indexState', vector.show_state(i.baton_id), 'namespaces', (
        select coalesce(json_agg(json_build_object('namespace', n.name, 'count', n.count) order by n.name), '[]')
        from svc.vector_namespace n where n.baton_id = i.baton_id and n.count > 0))
    from svc.vector_index i where i.baton_id = _baton);
end $$;

create or replace function vector.show_state(_baton uuid) returns text language sql stable as $$
  select case when bool_or(state = 'building') then 'building' when bool_or(state = 'ready') then 'ann' else 'exact' end
  from svc.vector_space where baton_id = _baton
$$;

create or replace function vector.stats(_by json) returns json language plpgsql as $$
declare
  _visit svc.baton_visit := vector.admit(_by, 'read');
  _baton svc.baton := _visit.baton;
begin
  return (vector.show(_baton.id)::jsonb || jsonb_build_object('bytesUsed', _baton.stored_bytes::text,
    'quotas', baton.show_quotas(_baton)))::json;
end $$;

-- Lists every violated rule of the vectors of batons that are not purged.
create or replace function vector.check_invariants() returns table (rule text, subject text, detail text) language sql stable as $$
  select 'a namespace counts its vectors', n.baton_id::text, n.name
    from svc.vector_namespace n join svc.baton b on b.id = n.baton_id and b.purge_at is not null
      join lateral (select count(*) as count, count(*) filter (where word_count > 0) as texts,
        coalesce(sum(word_count), 0) as words, coalesce(max(number), 0) as last
        from svc.vector v where v.baton_id = n.baton_id and v.namespace = n.name) v on true
    where (n.count, n.text_count, n.word_count) is distinct from (v.count, v.texts, v.words) or n.last_number < v.last
  union all
  select 'a vector has its floats and its size', v.baton_id::text, v.id
    from svc.vector v join svc.vector_index i using (baton_id) left join svc.vector_floats f using (baton_id, namespace, number)
    where octet_length(f.floats) is distinct from 4 * i.dimensions
      or v.size_bytes <> vector.measure(i.dimensions, v.metadata, v.body)
  union all
  select 'an id is that of a vector', coalesce(v.baton_id, x.baton_id)::text, coalesce(v.id, x.id)
    from svc.vector v full join svc.vector_id x using (baton_id, namespace, number) where v.id is distinct from x.id
  union all
  select 'an index is that of a namespace', s.baton_id::text, s.namespace
    from svc.vector_space s left join svc.vector_namespace n on n.baton_id = s.baton_id and n.name = s.namespace
    where n.name is null and s.state <> 'dropping'
  union all
  select 'a change is of a namespace with an index', c.baton_id::text, c.namespace
    from svc.vector_change c left join svc.vector_space s using (baton_id, namespace) where s.state is null
$$;
