-- Sends one call with the keys of many accounts in turn, and prints the outcome as one line of JSON.
local calls = {}
local index = 0

local function lines(path)
  local found = {}
  for line in io.lines(path) do found[#found + 1] = line end
  return found
end

function init(args)
  local folder = args[1]
  local file = assert(io.open(folder .. '/body', 'rb'))
  local body = file:read('*a')
  file:close()
  local headers = {}
  for _, line in ipairs(lines(folder .. '/headers')) do
    local name, value = line:match('^([^:]+): (.*)$')
    headers[name] = value
  end
  local method = lines(folder .. '/method')[1]
  local paths = lines(folder .. '/paths')
  for place, key in ipairs(lines(folder .. '/keys')) do
    headers['Authorization'] = 'Bearer ' .. key
    calls[#calls + 1] = wrk.format(method, paths[place], headers, body)
  end
end

function request()
  index = index % #calls + 1
  return calls[index]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format('\n{"calls":%d,"seconds":%.6f,"p50Ms":%.3f,"p99Ms":%.3f,"failed":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
