/**
 * Atomic Redis scripts. A tally is a hash from the start of a slice to its count; a field marks one that has counted
 * nothing as known. The caller passes the time. `read` is `current` and `startOf` of domain/limits/limits.ts,
 * `describe` is `toLimitStatus` and `waitOf`: a test compares them.
 */

const TALLIES = `
local KNOWN = 'known'
local SLICES = 60
local SLACK = 5000
local at = tonumber(ARGV[1])

local function toField(start) return string.format('%.0f', start) end

-- A rule is one argument: its limit, its window, its algorithm, and when it was set, 0 if unknown.
local function ruleOf(argument)
  local limit, window, algorithm, setAt = string.match(argument, '(%d+) (%d+) (%a+) (%d+)')
  local fixed = algorithm == 'fixed'
  local width = fixed and 0 or math.ceil(window / SLICES)
  return { limit = tonumber(limit), fixed = fixed, width = width, lasts = width + window, setAt = tonumber(setAt) }
end

-- What still counts, oldest first; nil when the counter is missing.
local function read(key, rule)
  local fields = redis.call('HGETALL', key)
  if #fields == 0 then return nil end
  local slices, ended = {}, {}
  for nth = 1, #fields, 2 do
    if fields[nth] ~= KNOWN then
      local start = tonumber(fields[nth])
      if start + rule.lasts > at then slices[#slices + 1] = { start = start, count = tonumber(fields[nth + 1]) }
      else ended[#ended + 1] = fields[nth] end
    end
  end
  if slices[2] then table.sort(slices, function(one, other) return one.start < other.start end) end
  return { slices = slices, ended = ended }
end

local function usedOf(slices)
  local used = 0
  for nth = 1, #slices do used = used + slices[nth].count end
  return used
end

local function startOf(rule, tally)
  if not rule.fixed then return math.floor(at / rule.width) * rule.width end
  if tally.slices[1] then return tally.slices[1].start end
  return rule.setAt + rule.lasts > at and rule.setAt or at
end

-- Expires when none of it counts any more, also for a caller whose clock is a little slow.
local function keep(key, rule, newest)
  redis.call('PEXPIRE', key, math.max(newest, at) + rule.lasts - at + SLACK)
end

-- How much is used, when that decreases, how long until one more fits, and the slice that it is counted in.
local function describe(answer, rule, slices, used, start)
  local excess, wait, nth = used - rule.limit + 1, 0, 1
  while excess > 0 and slices[nth] do
    excess = excess - slices[nth].count
    if excess <= 0 then wait = slices[nth].start + rule.lasts - at end
    nth = nth + 1
  end
  local first = #answer
  answer[first + 1] = used
  answer[first + 2] = slices[1] and slices[1].start + rule.lasts - at or 0
  answer[first + 3] = wait
  answer[first + 4] = start
end
`

/**
 * Makes any number of decisions, one after the other. The first key holds since when Redis has seen every count, the
 * others are counters. Arguments: now, the clock skew, the number of rules, and the rules. Then for each decision 1 to
 * count or 0 to look, the number of its counters, and for each of them the number of its key and of its rule. Returns
 * for each decision its kind, and the output of `describe` for each counter. If a counter is missing and may have been
 * counted elsewhere, the kind is UNKNOWN, and the first number of each counter says whether it is one of those.
 */
const decide = `${TALLIES}
local UNKNOWN, TAKEN, FULL = 0, 1, 2
local skew, ruleCount = tonumber(ARGV[2]), tonumber(ARGV[3])

local since
local function findSince()
  local found = tonumber(redis.call('GET', KEYS[1]))
  if found == nil then redis.call('SET', KEYS[1], toField(at)) end
  return found or at
end

-- Whether nothing counted before, or by others, could still count.
local function isEmpty(rule)
  since = since or findSince()
  return at - since > rule.lasts + skew or rule.setAt - since > skew
end

local rules, tallies = {}, {}
for nth = 1, ruleCount do rules[nth] = ruleOf(ARGV[3 + nth]) end

-- Read once for all decisions; false when it is unknown.
local function tallyOf(nth, rule)
  if tallies[nth] == nil then
    local tally = read(KEYS[nth], rule)
    if tally == nil and isEmpty(rule) then tally = { slices = {}, ended = {} } end
    if tally then tally.used, tally.added = usedOf(tally.slices), 0 end
    tallies[nth] = tally or false
  end
  return tallies[nth]
end

local function insert(slices, start)
  for nth = #slices, 1, -1 do
    if slices[nth].start == start then
      slices[nth].count = slices[nth].count + 1
      return
    elseif slices[nth].start < start then
      return table.insert(slices, nth + 1, { start = start, count = 1 })
    end
  end
  table.insert(slices, 1, { start = start, count = 1 })
end

-- All decisions have the same time, so a counter counts all of them in one slice.
local function count(tally, rule, start)
  insert(tally.slices, start)
  tally.used, tally.added, tally.rule, tally.start = tally.used + 1, tally.added + 1, rule, start
end

local function write(key, tally)
  local count = redis.call('HINCRBY', key, toField(tally.start), tally.added)
  if #tally.ended > 0 then redis.call('HDEL', key, unpack(tally.ended)) end
  -- An existing slice has its expiry already.
  if count == tally.added then keep(key, tally.rule, tally.slices[#tally.slices].start) end
end

local answer, place = {}, 4 + ruleCount
while ARGV[place] do
  local counts, size, kind = ARGV[place] == '1', tonumber(ARGV[place + 1]), TAKEN
  local asked = {}
  for nth = 1, size do
    local rule = rules[tonumber(ARGV[place + 2 * nth + 1])]
    local tally = tallyOf(tonumber(ARGV[place + 2 * nth]), rule)
    if not tally then kind = UNKNOWN
    elseif kind == TAKEN and tally.used >= rule.limit then kind = FULL end
    asked[nth] = { rule, tally }
  end
  answer[#answer + 1] = kind
  for nth = 1, size do
    local rule, tally = unpack(asked[nth])
    if kind == UNKNOWN then
      for _, number in ipairs({ tally and 0 or 1, 0, 0, 0 }) do answer[#answer + 1] = number end
    else
      local start = startOf(rule, tally)
      if counts and kind == TAKEN then count(tally, rule, start) end
      describe(answer, rule, tally.slices, tally.used, start)
    end
  end
  place = place + 2 + 2 * size
end
for nth = 2, #KEYS do
  if tallies[nth] and tallies[nth].added > 0 then write(KEYS[nth], tallies[nth]) end
end
return answer
`

/** Arguments: now, the rules, and the slices to give one back to, if they still exist. Returns the output of `describe` for each. */
const giveBack = `${TALLIES}
local answer = {}
for nth, key in ipairs(KEYS) do
  local rule, field = ruleOf(ARGV[nth + 1]), ARGV[nth + 1 + #KEYS]
  if tonumber(redis.call('HGET', key, field) or 0) > 0 and redis.call('HINCRBY', key, field, -1) == 0 then
    redis.call('HSET', key, KNOWN, 1)
    redis.call('HDEL', key, field)
  end
  local tally = read(key, rule) or { slices = {} }
  describe(answer, rule, tally.slices, usedOf(tally.slices), tonumber(field))
end
return answer
`

/** Arguments: now, the rule, and the starts and counts of a tally: stores it unless the counter exists. */
const prime = `${TALLIES}
local key, rule, newest = KEYS[1], ruleOf(ARGV[2]), at
if redis.call('EXISTS', key) == 1 then return 0 end
for nth = 3, #ARGV, 2 do
  redis.call('HSET', key, ARGV[nth], ARGV[nth + 1])
  newest = tonumber(ARGV[nth])
end
redis.call('HSET', key, KNOWN, 1)
keep(key, rule, newest)
return 1
`

/** Arguments: now, the rule, and the starts and counts of a tally: raises an existing counter to at least that. */
const raise = `${TALLIES}
local key, rule = KEYS[1], ruleOf(ARGV[2])
local tally = read(key, rule)
if tally == nil or #ARGV < 3 then return 0 end
local newest = tally.slices[#tally.slices]
if rule.fixed then
  -- One window: the one that ends later, with the higher count.
  local start = math.max(tonumber(ARGV[#ARGV - 1]), newest and newest.start or 0)
  local count = math.max(tonumber(ARGV[#ARGV]), usedOf(tally.slices))
  redis.call('DEL', key)
  redis.call('HSET', key, toField(start), count)
  keep(key, rule, start)
  return 1
end
local last = newest and newest.start or 0
for nth = 3, #ARGV, 2 do
  local count = tonumber(redis.call('HGET', key, ARGV[nth]) or 0)
  redis.call('HSET', key, ARGV[nth], math.max(count, tonumber(ARGV[nth + 1])))
  last = math.max(last, tonumber(ARGV[nth]))
end
keep(key, rule, last)
return 1
`

/** Argument: now. The first key is as for decide: Redis sees every count from now on. The others are to be loaded again. */
const forget = `
local since = math.max(tonumber(ARGV[1]), tonumber(redis.call('GET', KEYS[1]) or 0))
redis.call('SET', KEYS[1], string.format('%.0f', since))
for nth = 2, #KEYS do redis.call('UNLINK', KEYS[nth]) end
return 1
`

/** Arguments: a lease, and how long it lasts. Returns the copy, or nil and leases the key. */
const findCopy = `
local text = redis.call('HGET', KEYS[1], 'text')
if text then return text end
redis.call('HSET', KEYS[1], 'lease', ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return nil
`

/** Arguments: the lease, a copy, and how long it lasts: stores it if the lease still holds. */
const storeCopy = `
if redis.call('HGET', KEYS[1], 'lease') ~= ARGV[1] then return 0 end
redis.call('HDEL', KEYS[1], 'lease')
redis.call('HSET', KEYS[1], 'text', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1
`

export const SCRIPTS = {
  pomboDecide: { lua: decide },
  pomboGiveBack: { lua: giveBack },
  pomboPrime: { lua: prime },
  pomboRaise: { lua: raise },
  pomboForget: { lua: forget },
  pomboFindCopy: { lua: findCopy },
  pomboStoreCopy: { lua: storeCopy },
} as const

export type ScriptName = keyof typeof SCRIPTS
