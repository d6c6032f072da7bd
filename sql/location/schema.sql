-- The tables, indexes and functions that the migrations and functions create. For reading only; a test keeps it up to date.

location.activate(_data integer) -> integer
location.activate_roads(_data integer, _manifest jsonb, _parts integer) -> void
location.add_partitions(_data integer) -> void
location.answer(_asks jsonb) -> json
location.around(_ask jsonb) -> SETOF location.hit
location.begin_load(_source text, _attribution text, _date date) -> jsonb
location.begin_roads_load(_file text, _size_bytes bigint, _attribution text, _date date) -> jsonb
location.boxes_around(_lat double precision, _lng double precision, _radius_m double precision) -> SETOF box
location.current() -> integer
location.current_roads() -> jsonb
location.distance(_lat double precision, _lng double precision, _to_lat double precision, _to_lng double precision) -> double precision
location.distance_from(_ask jsonb, _place svc.place) -> double precision
location.find(_ask jsonb) -> SETOF location.hit
location.fits(_place svc.place, _ask jsonb) -> boolean
location.fold(_text text) -> text
location.road_part(_data integer, _kind text, _at integer) -> bytea
location.show(_hit location.hit) -> json
location.store(_data integer, _places jsonb, _file text, _lines bigint) -> void
location.store_roads(_data integer, _kind text, _at integer, _bytes bytea, _progress jsonb) -> void
