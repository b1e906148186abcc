/**
 * What Redis does in one step. A tally is a hash from the start of a slice to its count, with one field
 * more that says it is known, also when it has counted nothing. Time is what the caller says it is.
 * `read` is `current` and `startOf` of domain/limits.ts, `describe` is `toStanding` and `waitOf`: a test
 * holds them together.
 */

const TALLIES = `
local KNOWN = 'known'
local SLICES = 60
local SLACK = 5000
local at = tonumber(ARGV[1])

local function toField(start) return string.format('%.0f', start) end

-- Three arguments a counter: its limit, its window and its algorithm.
local function ruleOf(nth, offset)
  local first = offset + (nth - 1) * 3
  local window = tonumber(ARGV[first + 1])
  local fixed = ARGV[first + 2] == 'fixed'
  local width = fixed and 0 or math.ceil(window / SLICES)
  return { limit = tonumber(ARGV[first]), fixed = fixed, width = width, lasts = width + window }
end

-- What still counts, oldest first; nil when the counter is not known here.
local function read(key, rule)
  local fields = redis.call('HGETALL', key)
  if #fields == 0 then return nil end
  local tally = { slices = {}, ended = {}, used = 0 }
  for nth = 1, #fields, 2 do
    if fields[nth] ~= KNOWN then
      local start, count = tonumber(fields[nth]), tonumber(fields[nth + 1])
      if start + rule.lasts > at then
        table.insert(tally.slices, { start = start, count = count })
        tally.used = tally.used + count
      else
        table.insert(tally.ended, fields[nth])
      end
    end
  end
  table.sort(tally.slices, function(one, other) return one.start < other.start end)
  return tally
end

local function startOf(rule, tally)
  if not rule.fixed then return math.floor(at / rule.width) * rule.width end
  return tally.slices[1] and tally.slices[1].start or at
end

-- Keeps it for as long as any of it counts, also for somebody whose clock is a little slow.
local function keep(key, rule, newest)
  redis.call('HSET', key, KNOWN, 1)
  redis.call('PEXPIRE', key, math.max(newest, at) + rule.lasts - at + SLACK)
end

-- How much is used, when that becomes less, and how long until one more fits.
local function describe(answer, rule, slices)
  local used = 0
  for _, slice in ipairs(slices) do used = used + slice.count end
  local excess, wait = used - rule.limit + 1, 0
  for _, slice in ipairs(slices) do
    if excess <= 0 then break end
    excess = excess - slice.count
    if excess <= 0 then wait = slice.start + rule.lasts - at end
  end
  table.insert(answer, used)
  table.insert(answer, slices[1] and slices[1].start + rule.lasts - at or 0)
  table.insert(answer, wait)
end
`

/**
 * now, 1 to count or 0 to look, and the rules. Answers 'unknown' and the places of counters that are not
 * known; else 'taken' or 'full', and per counter what `describe` says and the slice that it was counted in.
 */
const decide = `${TALLIES}
local counts = ARGV[2] == '1'
local rules, tallies, unknown, full = {}, {}, { 'unknown' }, false
for nth, key in ipairs(KEYS) do
  rules[nth] = ruleOf(nth, 3)
  tallies[nth] = read(key, rules[nth])
  if tallies[nth] == nil then table.insert(unknown, nth - 1)
  elseif tallies[nth].used >= rules[nth].limit then full = true end
end
if #unknown > 1 then return unknown end

local answer = { full and 'full' or 'taken' }
for nth, key in ipairs(KEYS) do
  local rule, tally = rules[nth], tallies[nth]
  local start = startOf(rule, tally)
  if counts and not full then
    local count = redis.call('HINCRBY', key, toField(start), 1)
    if #tally.ended > 0 then redis.call('HDEL', key, unpack(tally.ended)) end
    local others = {}
    for _, slice in ipairs(tally.slices) do
      if slice.start ~= start then table.insert(others, slice) end
    end
    table.insert(others, { start = start, count = count })
    table.sort(others, function(one, other) return one.start < other.start end)
    tally.slices = others
    keep(key, rule, others[#others].start)
  end
  describe(answer, rule, tally.slices)
  table.insert(answer, start)
end
return answer
`

/** now, the rules, and the slices that one each is given back to, if they still are there. Answers as decide does. */
const giveBack = `${TALLIES}
local answer = { 'taken' }
for nth, key in ipairs(KEYS) do
  local rule, field = ruleOf(nth, 2), ARGV[1 + #KEYS * 3 + nth]
  if tonumber(redis.call('HGET', key, field) or 0) > 0 and redis.call('HINCRBY', key, field, -1) == 0 then
    redis.call('HDEL', key, field)
  end
  local tally = read(key, rule) or { slices = {} }
  describe(answer, rule, tally.slices)
  table.insert(answer, tonumber(field))
end
return answer
`

/** now, the rule, and the starts and counts of a tally: puts it there unless the counter is known. */
const prime = `${TALLIES}
local rule, newest = ruleOf(1, 2), at
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
for nth = 5, #ARGV, 2 do
  redis.call('HSET', KEYS[1], ARGV[nth], ARGV[nth + 1])
  newest = tonumber(ARGV[nth])
end
keep(KEYS[1], rule, newest)
return 1
`

/** now, the rule, and the starts and counts of a tally: sees that a counter that is known has counted at least that. */
const raise = `${TALLIES}
local rule = ruleOf(1, 2)
local tally = read(KEYS[1], rule)
if tally == nil or #ARGV < 5 then return 0 end
local newest = tally.slices[#tally.slices]
if rule.fixed then
  -- One window: the one that ends later, with what the fuller one has counted.
  local start = math.max(tonumber(ARGV[#ARGV - 1]), newest and newest.start or 0)
  local count = math.max(tonumber(ARGV[#ARGV]), tally.used)
  redis.call('DEL', KEYS[1])
  redis.call('HSET', KEYS[1], toField(start), count)
  keep(KEYS[1], rule, start)
  return 1
end
local last = newest and newest.start or 0
for nth = 5, #ARGV, 2 do
  local count = tonumber(redis.call('HGET', KEYS[1], ARGV[nth]) or 0)
  redis.call('HSET', KEYS[1], ARGV[nth], math.max(count, tonumber(ARGV[nth + 1])))
  last = math.max(last, tonumber(ARGV[nth]))
end
keep(KEYS[1], rule, last)
return 1
`

export const SCRIPTS = {
  pomboDecide: { lua: decide },
  pomboGiveBack: { lua: giveBack },
  pomboPrime: { lua: prime },
  pomboRaise: { lua: raise },
} as const

export type ScriptName = keyof typeof SCRIPTS
