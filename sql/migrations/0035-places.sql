-- The gazetteer: places with their names, loaded by the operator from dumps in the format of GeoNames. Each load is a data
-- set of its own, so that the new one replaces the old one at once.
create extension if not exists pg_trgm;

create schema if not exists place;

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
