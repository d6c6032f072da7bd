-- Asks a worker to look at documents, for an api that waits for it.
create or replace function esigndoc.request_preparation(_account uuid, _id uuid, _request json) returns void
language plpgsql as $$
begin
  insert into svc.envelope_preparation (id, account_id, request) values (_id, _account, _request);
  perform step.queue_first('esigndoc.prepare', json_build_object('id', _id), _id::text);
end $$;

-- The preparation of the same documents that an account has asked for some minutes ago, for a call that is made again: it is under
-- way, or it is done and nothing has taken its documents over or away.
create or replace function esigndoc.find_preparation(_account uuid, _fingerprint text) returns uuid language sql stable as $$
  select p.id from svc.envelope_preparation p
  where p.account_id = _account and p.request ->> 'fingerprint' = _fingerprint and p.problem is null
    and p.created_at > now() - interval '10 minutes'
    and case when p.result is null
      then exists (select from lane_step._private_jobs j where j.key = 'esigndoc.prepare:' || p.id
        and step.state_of(j) in ('waiting', 'running'))
      else not exists (
        select from json_array_elements(p.result -> 'files') f, unnest(array[f #>> '{original,key}', f #>> '{content,key}']) k
        where not exists (select from svc.object o where o.key = k and o.account_id = _account and o.kind = 'signing'
          and o.expires_at > now() + interval '1 hour' and o.expires_at < 'infinity')) end
  order by p.created_at desc limit 1
$$;

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
  select step.queue('esigndoc.draw', esigndoc.describe_page(_row.account_id, f.content, n, 800), now(),
    esigndoc.name_page(f.content, n, 800))
  from svc.envelope_file f, generate_series(1, least(3, json_array_length(f.pages))) n
  where f.envelope_id = _row.id and f.position = 0 and not exists (select from svc.envelope_page p
    where p.content_key = f.content ->> 'key' and p.page = n and p.width = 800)
$$;

create or replace function esigndoc.describe_page(_account uuid, _content json, _page integer, _width integer) returns json
language sql stable as $$
  select json_build_object('account', _account, 'content', _content, 'page', _page, 'width', _width)
$$;

create or replace function esigndoc.name_page(_content json, _page integer, _width integer) returns text language sql stable as $$
  select concat_ws(' ', _content ->> 'key', _page, _width)
$$;

-- A page of an envelope as an image, or the document of which it is being drawn.
create or replace function esigndoc.find_page(_envelope uuid, _file integer, _page integer, _width integer) returns json
language sql as $$
  select esigndoc.show_page(e.account_id, f.content, f.pages, _page, _width)
  from svc.envelope_file f join svc.envelope e on e.id = f.envelope_id where f.envelope_id = _envelope and f.position = _file
$$;

-- The same of the current version of a template.
create or replace function esigndoc.find_template_page(_account uuid, _template uuid, _file integer, _page integer, _width integer)
returns json language sql as $$
  select esigndoc.show_page(t.account_id, f -> 'content', f -> 'pages', _page, _width)
  from svc.envelope_template t join svc.envelope_template_version v on v.template_id = t.id and v.version = t.version,
    lateral (select v.files -> _file) x (f)
  where t.id = _template and t.account_id = _account and f is not null
$$;

create or replace function esigndoc.show_page(_account uuid, _content json, _pages json, _page integer, _width integer) returns json
language plpgsql as $$
declare
  _key text;
begin
  if _page < 1 or _page > json_array_length(_pages) then
    return null;
  end if;
  select p.object_key into _key from svc.envelope_page p
    where p.content_key = _content ->> 'key' and p.page = _page and p.width = _width;
  if _key is null then
    perform step.queue_first('esigndoc.draw', esigndoc.describe_page(_account, _content, _page, _width),
      esigndoc.name_page(_content, _page, _width));
  end if;
  return json_build_object('key', _key, 'waitsFor', esigndoc.name_page(_content, _page, _width));
end $$;

-- Whether a page is still to be drawn: its document may have gone meanwhile.
create or replace function esigndoc.needs_page(_account uuid, _key text, _page integer, _width integer) returns boolean
language sql stable as $$
  select exists (select from svc.object o where o.key = _key and o.account_id = _account and o.expires_at = 'infinity')
    and not exists (select from svc.envelope_page p where p.content_key = _key and p.page = _page and p.width = _width)
$$;

-- Keeps a document until the end of the transaction. False: it has gone, so nothing of it is kept any more.
create or replace function esigndoc.hold_document(_account uuid, _key text) returns boolean language plpgsql as $$
begin
  perform from svc.object where key = _key and account_id = _account and expires_at = 'infinity' for share;
  return found;
end $$;

-- Records the image of a page that is about to be stored. False: its document has gone.
create or replace function esigndoc.reserve_page(_account uuid, _content_key text, _key text, _type text) returns boolean
language plpgsql as $$
begin
  if not esigndoc.hold_document(_account, _content_key) then
    return false;
  end if;
  perform esigndoc.reserve_object(_account, _key, _type);
  return true;
end $$;

-- False: its document has gone while the image was stored.
create or replace function esigndoc.store_page(_page json) returns boolean language plpgsql as $$
begin
  if not esigndoc.hold_document((_page ->> 'account')::uuid, _page ->> 'contentKey') then
    return false;
  end if;
  insert into svc.envelope_page (content_key, account_id, page, width, object_key)
    values (_page ->> 'contentKey', (_page ->> 'account')::uuid, (_page ->> 'page')::integer, (_page ->> 'width')::integer,
      _page ->> 'key') on conflict do nothing;
  if found then
    update svc.object set expires_at = 'infinity', size_bytes = (_page ->> 'sizeBytes')::bigint where key = _page ->> 'key';
  end if;
  perform pg_notify('envelope_documents', concat_ws(' ', _page ->> 'contentKey', _page ->> 'page', _page ->> 'width'));
  return true;
end $$;
