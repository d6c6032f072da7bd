-- The tables, indexes and functions that the migrations and functions create. For reading only; a test keeps it up to date.

spending.check_alarms(_at timestamp with time zone DEFAULT now()) -> integer
spending.check_balances() -> integer
spending.check_period(_alarm svc.spend_alarm, _start timestamp with time zone, _until timestamp with time zone) -> integer
spending.erase_account(_account uuid) -> void
spending.export_account(_account uuid) -> json
spending.find_balance_alarm(_account uuid) -> json
spending.find_previous(_period text, _at timestamp with time zone DEFAULT now()) -> timestamp with time zone
spending.find_start(_period text, _at timestamp with time zone DEFAULT now()) -> timestamp with time zone
spending.list(_account uuid) -> json
spending.move_account(_from uuid, _to uuid) -> void
spending.read_balance_alarm(_account uuid) -> json
spending.remove_alarm(_account uuid, _period text) -> void
spending.remove_balance_alarm(_account uuid) -> void
spending.set_alarm(_account uuid, _period text, _limit bigint) -> json
spending.set_balance_alarm(_account uuid, _limit bigint) -> json
spending.show(_alarm svc.spend_alarm) -> json
spending.show_balance_alarm(_alarm svc.balance_alarm) -> json
spending.sum_between(_account uuid, _since timestamp with time zone, _until timestamp with time zone DEFAULT NULL::timestamp with time zone) -> bigint
spending.tell(_alarm svc.spend_alarm, _start timestamp with time zone, _spent bigint) -> void
spending.tell_balance(_alarm svc.balance_alarm, _balance bigint) -> void
