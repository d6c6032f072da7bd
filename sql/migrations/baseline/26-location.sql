-- The gazetteer: places with their names, loaded by the operator from dumps in the format of GeoNames. Each load is a data
-- set of its own, so that the new one replaces the old one at once.
create extension if not exists pg_trgm;

create table svc.place_data (
  id integer generated always as identity primary key,
  source text not null,
  attribution text not null,
  data_date date not null,
  is_sample boolean not null default false,
  -- How many lines of each file are stored; a load that broke off goes on there.
  progress jsonb not null default '{}',
  loaded_at timestamptz
);

-- Answers come from the current data set.
create table svc.place_current (
  only_row boolean primary key default true check (only_row),
  data_id integer not null references svc.place_data
);

create table svc.place (
  data_id integer not null,
  id text not null,
  name text not null,
  -- What it is: a city, a postcode, a region, a country, or a point such as a station.
  kind text not null check (kind in ('city', 'postcode', 'admin', 'country', 'point')),
  feature text not null,
  lat double precision not null check (lat between -90 and 90),
  lng double precision not null check (lng between -180 and 180),
  country text not null,
  region_code text,
  region text,
  district text,
  population bigint not null default 0,
  timezone text,
  primary key (data_id, id)
) partition by list (data_id);

-- Every name of a place, folded: in lower case, without accents and punctuation.
create table svc.place_name (
  data_id integer not null,
  place_id text not null,
  folded text not null,
  is_main boolean not null,
  primary key (data_id, folded, place_id)
) partition by list (data_id);

create index on svc.place using gist (point(lng, lat));
create index on svc.place_name using gin (folded gin_trgm_ops);
create index on svc.place_name (data_id, place_id);

-- What a search has found.
create schema location;
create type location.hit as (place svc.place, likeness real, distance_m double precision);

-- The road graph, built by the operator from an extract of OpenStreetMap. Each load is a data set of its own, so that the
-- new one replaces the old one at once.
create table svc.road_data (
  id integer generated always as identity primary key,
  -- Name and size of the file, by which a load that broke off is found again.
  file text not null,
  size_bytes bigint not null,
  attribution text not null,
  data_date date not null,
  -- How far the file was read; a load that broke off goes on there.
  progress jsonb not null default '{}',
  -- What the arrays of the graph are; null until it is built.
  manifest jsonb,
  loaded_at timestamptz
);

-- Routes are planned on the current data set. Without one there are none.
create table svc.road_current (
  only_row boolean primary key default true check (only_row),
  data_id integer not null references svc.road_data
);

-- The ways and the points that a load has read, and the arrays of the graph, each in parts of a few megabytes.
create table svc.road_part (
  data_id integer not null references svc.road_data on delete cascade,
  kind text not null check (kind in ('ways', 'points', 'graph')),
  at integer not null,
  bytes bytea not null,
  primary key (data_id, kind, at)
);
-- They are compressed already, or do not compress well.
alter table svc.road_part alter column bytes set storage external;
