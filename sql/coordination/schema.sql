-- The tables, indexes and functions that the migrations and functions create. For reading only; a test keeps it up to date.

coordination.acquire(_job json, _hold json, _seconds integer, _max_names integer) -> json
coordination.add(_job json, _account uuid, _name text, _addend bigint, _least bigint, _most bigint, _max_names integer) -> json
coordination.arrive(_account uuid, _name text, _round integer, _member text) -> json
coordination.delete_counter(_account uuid, _name text) -> json
coordination.describe_hold(_lock svc.lock) -> json
coordination.erase_account(_account uuid) -> void
coordination.export_account(_account uuid) -> json
coordination.find_hold(_account uuid, _name text, _token bytea) -> svc.lock
coordination.forget(_days integer, _limit integer) -> bigint
coordination.list(_account uuid, _kind text, _after text, _limit integer) -> json
coordination.open_barrier(_job json, _account uuid, _name text, _parties integer, _seconds integer, _max_names integer) -> json
coordination.read_barrier(_account uuid, _name text, _round integer) -> json
coordination.read_counter(_account uuid, _name text) -> json
coordination.read_lock(_account uuid, _name text) -> json
coordination.refuse_name(_max_names integer) -> void
coordination.release(_account uuid, _name text, _token bytea) -> json
coordination.renew(_account uuid, _name text, _token bytea, _seconds integer) -> json
coordination.show_barrier(_barrier svc.barrier) -> json
coordination.show_counter(_counter svc.counter) -> json
coordination.show_lock(_lock svc.lock) -> json
coordination.state_of(_barrier svc.barrier) -> text
