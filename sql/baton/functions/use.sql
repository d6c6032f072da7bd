-- One read or write. A write has its content here, unless it is in the object store.
create or replace function baton.use(_use json) returns json language plpgsql as $$
begin
  if _use -> 'ask' is not null then
    return baton.read(_use -> 'by', _use -> 'ask');
  end if;
  return baton.write(_use -> 'by', decode(_use ->> 'content', 'hex'), _use -> 'written');
end $$;

-- Performs the reads and writes of several callers with one commit, each as if it had come alone: one that is refused undoes nothing
-- of the others. Batons are locked in the order of their ids, so that two batches do not wait for each other. A use whose baton is
-- locked for long answers `again`, because the others must not wait for it.
create or replace function baton.use_batch(_batch json) returns setof json language plpgsql as $$
declare
  _item record;
  _result json;
  _code text;
  _hints text;
begin
  perform set_config('lock_timeout', '50ms', true);
  for _item in select u.use, u.ord from json_array_elements(_batch) with ordinality u (use, ord)
      left join svc.baton_token t on t.hash = decode(u.use #>> '{by,token}', 'hex')
      order by coalesce(u.use #>> '{by,baton}', t.baton_id::text), u.ord loop
    begin
      _result := json_build_array(_item.ord, 'done', baton.use(_item.use));
    exception
      when sqlstate 'SVC01' or sqlstate 'SVC04' then
        get stacked diagnostics _code = message_text, _hints = pg_exception_detail;
        _result := json_build_array(_item.ord, _code, _hints::json);
      when lock_not_available or deadlock_detected then
        _result := json_build_array(_item.ord, 'again');
    end;
    return next _result;
  end loop;
end $$;
