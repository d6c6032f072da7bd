-- Asks a worker to look at documents, for an api that waits for it.
create or replace function esigndoc.request_preparation(_account uuid, _id uuid, _request json) returns void
language plpgsql as $$
begin
  insert into svc.envelope_preparation (id, account_id, request) values (_id, _account, _request);
  perform step.queue('esigndoc.prepare', json_build_object('id', _id), now(), _id::text);
end $$;

create or replace function esigndoc.read_preparation(_id uuid) returns json language sql stable as $$
  select json_build_object('accountId', p.account_id, 'request', p.request, 'result', p.result, 'problem', p.problem)
  from svc.envelope_preparation p where p.id = _id and p.expires_at > now()
$$;

create or replace function esigndoc.finish_preparation(_id uuid, _result json, _problem json) returns void language sql as $$
  update svc.envelope_preparation set result = _result, problem = _problem where id = _id;
  select pg_notify('envelope_documents', _id::text);
$$;

-- Has the pages of an envelope drawn before somebody asks: the first ones, as phones show them.
create or replace function esigndoc.queue_pages(_row svc.envelope) returns void language sql as $$
  select step.queue('esigndoc.draw', json_build_object('envelope', _row.id, 'file', 0, 'page', n, 'width', 800), now(),
    _row.id || ' 0 ' || n || ' 800')
  from svc.envelope_file f, generate_series(1, least(3, json_array_length(f.pages))) n
  where f.envelope_id = _row.id and f.position = 0
$$;

-- A page as an image, if it is there; else it is drawn now.
create or replace function esigndoc.find_page(_envelope uuid, _file integer, _page integer, _width integer) returns text
language plpgsql as $$
declare
  _key text;
begin
  select p.object_key into _key from svc.envelope_page p
    where p.envelope_id = _envelope and p.file = _file and p.page = _page and p.width = _width;
  if _key is null then
    if not exists (select from svc.envelope_file f where f.envelope_id = _envelope and f.position = _file
        and json_array_length(f.pages) >= _page) then
      raise exception 'NOT_FOUND' using errcode = 'SVC01';
    end if;
    perform step.queue('esigndoc.draw', json_build_object('envelope', _envelope, 'file', _file, 'page', _page, 'width', _width),
      now(), concat_ws(' ', _envelope, _file, _page, _width));
  end if;
  return _key;
end $$;

create or replace function esigndoc.read_page_source(_envelope uuid, _file integer, _page integer, _width integer) returns json
language sql stable as $$
  select json_build_object('accountId', e.account_id, 'content', f.content, 'name', f.name)
  from svc.envelope_file f join svc.envelope e on e.id = f.envelope_id
  where f.envelope_id = _envelope and f.position = _file and not exists (select from svc.envelope_page p
    where p.envelope_id = _envelope and p.file = _file and p.page = _page and p.width = _width)
$$;

create or replace function esigndoc.store_page(_envelope uuid, _file integer, _page integer, _width integer, _key text, _size bigint)
returns void language plpgsql as $$
begin
  insert into svc.envelope_page (envelope_id, file, page, width, object_key) values (_envelope, _file, _page, _width, _key)
    on conflict do nothing;
  if found then
    update svc.object set expires_at = 'infinity', size_bytes = _size where key = _key;
  end if;
  perform pg_notify('envelope_documents', concat_ws(' ', _envelope, _file, _page, _width));
end $$;
