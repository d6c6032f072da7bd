-- The data set that answers.
create or replace function location.current() returns integer language sql stable as $$
  select data_id from svc.place_current
$$;

create or replace function location.distance(_lat double precision, _lng double precision, _to_lat double precision,
  _to_lng double precision) returns double precision language sql immutable as $$
  select 2 * 6371008.8 * asin(least(1, sqrt(
    sin(radians(_to_lat - _lat) / 2) ^ 2
    + cos(radians(_lat)) * cos(radians(_to_lat)) * sin(radians(_to_lng - _lng) / 2) ^ 2)))
$$;

-- The box around a circle, as one or, at the date line, two boxes of longitude and latitude.
create or replace function location.boxes_around(_lat double precision, _lng double precision, _radius_m double precision)
returns setof box language plpgsql immutable as $$
declare
  _up double precision := degrees(_radius_m / 6371008.8);
  _side double precision;
begin
  if abs(_lat) + _up >= 90 then
    return next box(point(-180, greatest(-90, _lat - _up)), point(180, least(90, _lat + _up)));
    return;
  end if;
  _side := degrees(asin(least(1, sin(radians(_up)) / cos(radians(_lat)))));
  return next box(point(greatest(-180, _lng - _side), _lat - _up), point(least(180, _lng + _side), _lat + _up));
  if _lng - _side < -180 then
    return next box(point(_lng - _side + 360, _lat - _up), point(180, _lat + _up));
  elsif _lng + _side > 180 then
    return next box(point(-180, _lat - _up), point(_lng + _side - 360, _lat + _up));
  end if;
end $$;

-- In plpgsql, like the others that are called for every row, because a function in SQL is set up again at each call.
-- Whether a place passes the conditions of a query: countries, the regions it lies in, kinds, a circle and a box.
create or replace function location.fits(_place svc.place, _ask jsonb) returns boolean language plpgsql immutable as $$
begin
  return (_ask -> 'countries' = '[]' or _ask -> 'countries' ? _place.country)
    and (_ask -> 'kinds' = '[]' or _ask -> 'kinds' ? _place.kind)
    and not exists (
      select from jsonb_array_elements_text(_ask -> 'within') w
      where w not in (lower(_place.country), coalesce(location.fold(_place.region), ''),
        coalesce(lower(_place.region_code), ''), coalesce(location.fold(_place.district), '')))
    and (not _ask ? 'near' or location.distance((_ask #>> '{near,lat}')::float8, (_ask #>> '{near,lng}')::float8,
      _place.lat, _place.lng) <= (_ask #>> '{near,radiusM}')::float8)
    and (not _ask ? 'bbox' or _place.lat between (_ask #>> '{bbox,1}')::float8 and (_ask #>> '{bbox,3}')::float8
      and case when (_ask #>> '{bbox,0}')::float8 <= (_ask #>> '{bbox,2}')::float8
        then _place.lng between (_ask #>> '{bbox,0}')::float8 and (_ask #>> '{bbox,2}')::float8
        else _place.lng >= (_ask #>> '{bbox,0}')::float8 or _place.lng <= (_ask #>> '{bbox,2}')::float8 end);
end $$;

-- Region names are few and short, so they are folded when they are compared; names of places are stored folded.
create or replace function location.fold(_text text) returns text language plpgsql immutable as $$
begin
  return trim(regexp_replace(regexp_replace(lower(normalize(_text, nfkd)), '[\u0300-\u036f''’]', '', 'g'),
    '[^[:alnum:]]+', ' ', 'g'));
end $$;

-- Finds places by the first of the names that any has; if none has one, by names that are written alike.
-- Its statements are planned once: planning over partitions takes longer than finding a name.
create or replace function location.find(_ask jsonb) returns setof location.hit language plpgsql stable
set plan_cache_mode = force_generic_plan as $$
declare
  _data integer := location.current();
  _name text;
  _limit integer := (_ask ->> 'limit')::integer;
begin
  for _name in select jsonb_array_elements_text(_ask -> 'names') loop
    return query
      select p, case when n.is_main then 1 else 0.95 end::real, location.distance_from(_ask, p)
      from svc.place_name n join svc.place p on p.data_id = _data and p.id = n.place_id
      where n.data_id = _data and n.folded = _name and location.fits(p, _ask)
      order by n.is_main and p.kind in ('country', 'admin') desc, p.population desc, p.id limit _limit;
    if found then
      return;
    end if;
  end loop;
  _name := _ask #>> '{names,0}';
  if length(_name) < 4 then
    return;
  end if;
  return query
    select p, near.likeness, location.distance_from(_ask, p)
    from (
      select n.place_id, max(similarity(n.folded, _name)) as likeness from svc.place_name n
      where n.data_id = _data and n.folded % _name group by n.place_id
      order by 2 desc limit 200
    ) near join svc.place p on p.data_id = _data and p.id = near.place_id
    where near.likeness >= 0.45 and location.fits(p, _ask)
    order by near.likeness desc, p.population desc, p.id limit _limit;
end $$;

create or replace function location.distance_from(_ask jsonb, _place svc.place) returns double precision
language plpgsql immutable as $$
begin
  return case when _ask ? 'near' then location.distance((_ask #>> '{near,lat}')::float8, (_ask #>> '{near,lng}')::float8,
    _place.lat, _place.lng) end;
end $$;

-- The places of some features around a point or in a box, nearest or largest first.
create or replace function location.around(_ask jsonb) returns setof location.hit language plpgsql stable as $$
declare
  _data integer := location.current();
  _boxes box[];
begin
  if _ask ? 'near' then
    _boxes := array(select location.boxes_around((_ask #>> '{near,lat}')::float8, (_ask #>> '{near,lng}')::float8,
      (_ask #>> '{near,radiusM}')::float8));
  elsif (_ask #>> '{bbox,0}')::float8 <= (_ask #>> '{bbox,2}')::float8 then
    _boxes := array[box(point((_ask #>> '{bbox,0}')::float8, (_ask #>> '{bbox,1}')::float8),
      point((_ask #>> '{bbox,2}')::float8, (_ask #>> '{bbox,3}')::float8))];
  else
    _boxes := array[
      box(point((_ask #>> '{bbox,0}')::float8, (_ask #>> '{bbox,1}')::float8), point(180, (_ask #>> '{bbox,3}')::float8)),
      box(point(-180, (_ask #>> '{bbox,1}')::float8), point((_ask #>> '{bbox,2}')::float8, (_ask #>> '{bbox,3}')::float8))];
  end if;
  return query
    select p, 1::real, location.distance_from(_ask, p)
    from unnest(_boxes) b join svc.place p on p.data_id = _data and point(p.lng, p.lat) <@ b
    where location.fits(p, _ask)
      and (_ask -> 'features' = '[]' or _ask -> 'features' ? p.feature)
      and (not _ask ? 'name' or exists (select from svc.place_name n
        where n.data_id = _data and n.place_id = p.id and n.folded like '%' || (_ask ->> 'name') || '%'))
    order by case when _ask ->> 'order' = 'distance' then location.distance_from(_ask, p) end,
      p.population desc, p.id
    limit (_ask ->> 'limit')::integer;
end $$;

create or replace function location.show(_hit location.hit) returns json language plpgsql stable as $$
begin
  return json_build_object('id', (_hit.place).id, 'name', (_hit.place).name, 'kind', (_hit.place).kind,
    'feature', (_hit.place).feature, 'lat', (_hit.place).lat, 'lng', (_hit.place).lng, 'country', (_hit.place).country,
    'regionCode', (_hit.place).region_code, 'region', (_hit.place).region, 'district', (_hit.place).district,
    'population', (_hit.place).population, 'timezone', (_hit.place).timezone, 'likeness', _hit.likeness,
    'distanceM', round(_hit.distance_m));
end $$;

-- Answers several questions at once, each by its name or by its place, and tells which data answered.
create or replace function location.answer(_asks jsonb) returns json language sql stable as $$
  select json_build_object(
    'data', (select json_build_object('source', d.source, 'attribution', d.attribution, 'date', d.data_date, 'isSample', d.is_sample)
      from svc.place_data d where d.id = location.current()),
    'answers', (select json_agg(coalesce(
        case when a.ask ? 'names'
          then (select json_agg(location.show(f)) from location.find(a.ask) f)
          else (select json_agg(location.show(f)) from location.around(a.ask) f) end, '[]') order by a.at)
      from jsonb_array_elements(_asks) with ordinality a(ask, at)))
$$;
