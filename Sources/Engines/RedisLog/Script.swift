/// A script that Redis runs as one step: no other command comes in between
/// (https://redis.io/docs/latest/develop/programmability/eval-intro/).
struct Script {
    let text: String
    /// How a script asks for the time: a list of seconds and microseconds.
    static let time = "redis.call('TIME')"

    private init(_ text: String) {
        self.text = text
    }

    /// The command that runs it on these keys, by the digest that `SCRIPT LOAD` answered.
    func call(_ digest: String, keys: [String]) -> RedisCommand {
        var command = RedisCommand("EVALSHA", digest, String(keys.count))
        for key in keys { command.append(key) }
        return command
    }

    static let all = [append, verify, claim, seed, snapshot, pulse, begin, demand]

    /// Gives a graph's commits their places: all of a turn, in one entry of the stream.
    ///
    ///     KEYS  state, log, names, news, changes, then the idempotency keys of the items that have one
    ///     ARGV  instance, number of the batch, epoch, rev of the definition, rev of the instance,
    ///           id of the entry, fencing token, lifetime of idempotency keys, name of the graph,
    ///           then for each item: kind, how many commits, their bytes, the meaning of its key,
    ///           where the definition comes from, or the earliest time of a tick, and what its
    ///           conditions were checked against
    ///
    /// Kinds: `v` values; `q` a question; `t` a tick: only the holder of the lease may; `d` define,
    /// `r` redefine, `x` remove. With a `k` after it, the item has an idempotency key.
    ///
    /// Times never fall, even if Redis' clock was set back. A tick is not stamped before its
    /// earliest time: operators would see a time at which nothing is due.
    ///
    /// All were checked against a definition, which must be in force. Conditions were checked
    /// against a rev, and against what the instance had on its way: no other instance may have
    /// written since that rev, and no batch of the instance's own that was on its way may have left
    /// anything out. `since` is the rev after which only `writer` has written.
    ///
    /// Answers `{status, rev, Redis' time in milliseconds, result…}`. Status: `ok`; `seen`: this
    /// batch was appended before; `epoch`: the graph has a new epoch. A result is empty for an item
    /// that was taken; `y` for a question; `m`: something else has come in between, or a tick is
    /// too early; or what its key has stood for.
    static let append = Script(
        """
        local state = redis.call('HMGET', KEYS[1], 'epoch', 'rev', 'time', 'id', 'definition', 'origin', 'fence', 'writer',
            'since', 'seen:' .. ARGV[1], 'broke:' .. ARGV[1])
        local rev = tonumber(state[2] or '0')
        local clock = redis.call('TIME')
        clock = clock[1] * 1000 + math.floor(clock[2] / 1000)
        if state[10] and tonumber(state[10]) >= tonumber(ARGV[2]) then return {'seen', state[2] or '0', clock} end
        if (state[1] or ARGV[3]) ~= ARGV[3] or (not state[1] and ARGV[5] ~= '0') then
            return {'epoch', state[2] or '0', clock}
        end
        local now = math.max(tonumber(state[3] or '0'), clock)
        local time = string.format('%.0f', now)
        local definition, origin = state[5] or '0', state[6] or ''
        local known = definition == ARGV[4] and definition ~= '0'
        local fence = tonumber(state[7] or '0')
        local since = rev
        if state[8] == ARGV[1] then since = tonumber(state[9]) end
        local broke = tonumber(state[11] or '0')
        local key = 5
        local results, left, parts, count = {}, {}, {}, 0
        for place = 10, #ARGV, 5 do
            local kind = string.sub(ARGV[place], 1, 1)
            local fits = known
            if kind == 'd' then fits = definition == '0' end
            if kind == 't' then
                fits = known and tonumber(ARGV[7]) >= fence and (tonumber(ARGV[place + 3]) or 0) <= now
                if fits then fence = tonumber(ARGV[7]) end
            end
            if ARGV[place + 4] ~= '' then
                local at, batch = string.match(ARGV[place + 4], '(%d+) (%d+)')
                fits = fits and since <= tonumber(at) and broke <= tonumber(batch)
            end
            local former = false
            if #ARGV[place] > 1 then
                key = key + 1
                former = redis.call('GET', KEYS[key])
            end
            if kind == 'q' then
                results[#results + 1] = former or fits and 'y' or 'm'
                left[#left + 1] = tostring((place - 10) / 5)
            elseif fits and not former then
                rev = rev + tonumber(ARGV[place + 1])
                count = count + tonumber(ARGV[place + 1])
                parts[#parts + 1] = ARGV[place + 2]
                results[#results + 1] = ''
                local number = string.format('%.0f', rev)
                if #ARGV[place] > 1 then
                    redis.call('SET', KEYS[key], number .. ' ' .. time .. ' ' .. ARGV[place + 3], 'PX', ARGV[8])
                end
                if kind == 'd' then
                    redis.call('SADD', KEYS[3], ARGV[9])
                    redis.call('XADD', KEYS[4], 'MAXLEN', '~', '1000', '*', 'graph', ARGV[9])
                end
                if kind == 'd' or kind == 'r' then definition, known, origin = number, false, ARGV[place + 3] end
                if kind == 'x' then definition, known, origin = '0', false, '' end
            else
                results[#results + 1] = former or 'm'
                left[#left + 1] = tostring((place - 10) / 5)
                broke = tonumber(ARGV[2])
            end
        end
        local number = string.format('%.0f', rev)
        if count > 0 then
            redis.call('XADD', KEYS[2], number .. '-0', 'e', ARGV[3], 'i', ARGV[6], 'p', state[4] or '', 'n', count, 't', time,
                'w', ARGV[1], 's', ARGV[2], 'x', table.concat(left, ','), 'b', table.concat(parts))
            redis.call('XADD', KEYS[5], 'MAXLEN', '~', '10000', '*', 'graph', ARGV[9])
            redis.call('HSET', KEYS[1], 'epoch', ARGV[3], 'rev', number, 'time', time, 'id', ARGV[6], 'definition', definition,
                'origin', origin, 'fence', string.format('%.0f', fence), 'writer', ARGV[1],
                'since', string.format('%.0f', since), 'seen:' .. ARGV[1], ARGV[2], 'broke:' .. ARGV[1], broke)
        elseif state[1] then
            redis.call('HSET', KEYS[1], 'seen:' .. ARGV[1], ARGV[2], 'broke:' .. ARGV[1], broke)
        end
        return {'ok', number, clock, unpack(results)}
        """
    )

    /// Whether the log goes on where an instance stands.
    ///
    ///     KEYS  state, log
    ///     ARGV  epoch, rev, id of the entry that ends with that rev
    ///
    /// Answers `{status, rev of the end}`. Status: `ok`; `gap`: the next entries were trimmed;
    /// `epoch`: the graph has a new epoch; `lost`: Redis lost entries.
    static let verify = Script(
        """
        local state = redis.call('HMGET', KEYS[1], 'epoch', 'rev', 'id')
        if not state[1] then return {'lost', 0} end
        if state[1] ~= ARGV[1] then return {'epoch', state[2]} end
        local rev, mine = tonumber(state[2]), tonumber(ARGV[2])
        if rev < mine then return {'lost', state[2]} end
        if rev == mine then return {state[3] == ARGV[3] and 'ok' or 'lost', state[2]} end
        local function field(entry, name)
            for place = 1, #entry[2], 2 do
                if entry[2][place] == name then return entry[2][place + 1] end
            end
        end
        local same = redis.call('XRANGE', KEYS[2], ARGV[2] .. '-0', ARGV[2] .. '-0')
        if #same == 1 then return {field(same[1], 'i') == ARGV[3] and 'ok' or 'lost', state[2]} end
        local next = redis.call('XRANGE', KEYS[2], ARGV[2] .. '-1', '+', 'COUNT', 1)
        if #next == 1 and field(next[1], 'p') == ARGV[3] then return {'ok', state[2]} end
        local first = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)
        if #first == 0 then return {'gap', state[2]} end
        local begin = tonumber(string.match(first[1][1], '^%d+')) - tonumber(field(first[1], 'n')) + 1
        return {begin > mine + 1 and 'gap' or 'lost', state[2]}
        """
    )

    /// Says how far an instance has come with a graph of which Redis has lost the end.
    ///
    /// The one with the latest commit has come furthest: instances may stand in different epochs,
    /// whose revs say nothing to each other. A claim that is not renewed expires in five seconds:
    /// its instance has ended. It does so too if Redis' clock, by which keys expire, was set back.
    ///
    ///     KEYS  claim
    ///     ARGV  time and rev of the last commit, instance
    static let claim = Script(
        """
        local former = redis.call('HMGET', KEYS[1], 'time', 'rev', 'instance')
        local time, rev = tonumber(former[1] or '-1'), tonumber(former[2] or '-1')
        local mine = tonumber(ARGV[1])
        if former[3] == ARGV[3] or time < mine or (time == mine and rev < tonumber(ARGV[2])) then
            redis.call('HSET', KEYS[1], 'time', ARGV[1], 'rev', ARGV[2], 'instance', ARGV[3])
            redis.call('PEXPIRE', KEYS[1], 5000)
        elseif redis.call('PTTL', KEYS[1]) > 5000 then
            redis.call('PEXPIRE', KEYS[1], 5000)
        end
        return 'ok'
        """
    )

    /// Begins a new epoch with what the instance holds that has come furthest.
    ///
    ///     KEYS  state, log, snapshots, claim, names, news
    ///     ARGV  old epoch, instance, new epoch, rev, time, id, rev of the definition, where that comes from, state, name of the graph
    ///
    /// Answers `ok`; `epoch`: there is a new one already; `wait`: another instance has come
    /// further.
    static let seed = Script(
        """
        local epoch = redis.call('HGET', KEYS[1], 'epoch')
        if epoch and epoch ~= ARGV[1] then return 'epoch' end
        if redis.call('HGET', KEYS[4], 'instance') ~= ARGV[2] then return 'wait' end
        redis.call('DEL', KEYS[1], KEYS[2], KEYS[3], KEYS[4])
        redis.call('HSET', KEYS[1], 'epoch', ARGV[3], 'rev', ARGV[4], 'time', ARGV[5], 'id', ARGV[6], 'definition', ARGV[7],
            'origin', ARGV[8], 'fence', '0')
        redis.call('XADD', KEYS[3], ARGV[4] .. '-0', 't', ARGV[5], 'i', ARGV[6], 'd', ARGV[7], 'o', ARGV[8], 'b', ARGV[9])
        redis.call('SADD', KEYS[5], ARGV[10])
        redis.call('XADD', KEYS[6], 'MAXLEN', '~', '1000', '*', 'graph', ARGV[10])
        return 'ok'
        """
    )

    /// Stores a graph's state, and deletes what is further back than is kept.
    ///
    ///     KEYS  state, log, snapshots
    ///     ARGV  epoch, fencing token, rev, time, id, rev of the definition, where that comes from, state, the oldest rev to be
    ///           kept
    ///
    /// Answers `ok`, or `no` if the epoch or the lease has changed.
    static let snapshot = Script(
        """
        local state = redis.call('HMGET', KEYS[1], 'epoch', 'fence')
        if state[1] ~= ARGV[1] or tonumber(state[2] or '0') > tonumber(ARGV[2]) then return 'no' end
        redis.call('HSET', KEYS[1], 'fence', ARGV[2])
        local newest = redis.call('XREVRANGE', KEYS[3], '+', '-', 'COUNT', 1)
        if #newest == 1 and tonumber(string.match(newest[1][1], '^%d+')) >= tonumber(ARGV[3]) then return 'ok' end
        redis.call('XADD', KEYS[3], ARGV[3] .. '-0', 't', ARGV[4], 'i', ARGV[5], 'd', ARGV[6], 'o', ARGV[7],
            'b', ARGV[8])
        local base = redis.call('XREVRANGE', KEYS[3], ARGV[9] .. '-0', '-', 'COUNT', 1)
        if #base == 1 then
            local rev = string.match(base[1][1], '^%d+')
            redis.call('XTRIM', KEYS[3], 'MINID', rev .. '-0')
            redis.call('XTRIM', KEYS[2], 'MINID', rev .. '-1')
        end
        return 'ok'
        """
    )

    /// Begins an epoch of all graphs for an instance that is alone (``Epochs``).
    ///
    ///     KEYS  instances, then the state of each graph
    ///     ARGV  epoch, how many earlier ones are kept, each instance and its last sign of life…
    ///
    /// Answers 0 where the signs of life are others now: another instance lives.
    static let begin = Script(
        """
        local signs = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
        if #signs ~= #ARGV - 2 then return 0 end
        for place = 1, #signs do
            if signs[place] ~= ARGV[place + 2] then return 0 end
        end
        for place = 2, #KEYS do
            local state = redis.call('HMGET', KEYS[place], 'epoch', 'rev', 'earlier')
            if state[1] and state[1] ~= ARGV[1] then
                local earlier = {state[1] .. '@' .. state[2]}
                for name, last in string.gmatch(state[3] or '', '([^ @]+)@(%d+)') do
                    if #earlier == tonumber(ARGV[2]) then break end
                    if tonumber(last) > tonumber(state[2]) then last = state[2] end
                    earlier[#earlier + 1] = name .. '@' .. last
                end
                redis.call('HSET', KEYS[place], 'epoch', ARGV[1], 'earlier', table.concat(earlier, ' '))
            end
        end
        return 1
        """
    )

    /// Says that an instance lives and of which graphs it has files, and takes or keeps the lease.
    ///
    /// Each sign of life differs from the instance's last one; what differs is Redis' time, with
    /// which servers of earlier versions compute. A lease lasts no longer than it says, even if
    /// Redis' clock, by which keys expire, was set back.
    ///
    ///     KEYS  lease, counter of fencing tokens, instances, files
    ///     ARGV  instance, milliseconds that the lease lasts, and, once the instance knows them, the
    ///           names of the graphs with blanks between
    ///
    /// Answers `{fencing token, or 0 where another instance has the lease; Redis' time in
    /// milliseconds; {each instance and its last sign of life…}; {each instance and its graphs…}}`.
    static let pulse = Script(
        """
        local clock = redis.call('TIME')
        local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
        local sign = now
        if redis.call('ZSCORE', KEYS[3], ARGV[1]) == string.format('%.0f', sign) then sign = sign + 1 end
        redis.call('ZADD', KEYS[3], sign, ARGV[1])
        local held = redis.call('HMGET', KEYS[1], 'instance', 'token')
        if not held[1] then
            held = {ARGV[1], redis.call('INCR', KEYS[2])}
            redis.call('HSET', KEYS[1], 'instance', held[1], 'token', held[2])
        end
        local token = 0
        if held[1] == ARGV[1] then
            token = tonumber(held[2])
            redis.call('PEXPIRE', KEYS[1], ARGV[2])
        elseif redis.call('PTTL', KEYS[1]) > tonumber(ARGV[2]) then
            redis.call('PEXPIRE', KEYS[1], ARGV[2])
        end
        if ARGV[3] then redis.call('HSET', KEYS[4], ARGV[1], ARGV[3]) end
        return {token, now, redis.call('ZRANGE', KEYS[3], 0, -1, 'WITHSCORES'), redis.call('HGETALL', KEYS[4])}
        """
    )

    /// How many lines the stream of demand has, about.
    static let demandLines = 1_000

    /// Changes what listeners at an instance want of a graph, and tells the others.
    ///
    ///     KEYS  the set of wanted nodes, the stream of demand, and, if the whole set is another,
    ///           that
    ///     ARGV  instance, name of the graph, milliseconds that the set and the stream are kept,
    ///           names with blanks between: that are wanted, no longer wanted, to be loaded
    ///
    /// Answers `ok`, or `gone` where there is no set, so that the whole one is needed.
    static let demand = Script(
        """
        if KEYS[3] then
            redis.call('RENAME', KEYS[3], KEYS[1])
        elseif redis.call('EXISTS', KEYS[1]) == 0 then
            return 'gone'
        end
        for name in string.gmatch(ARGV[5], '%S+') do redis.call('SADD', KEYS[1], name) end
        for name in string.gmatch(ARGV[6], '%S+') do redis.call('SREM', KEYS[1], name) end
        redis.call('PEXPIRE', KEYS[1], ARGV[3])
        redis.call('XADD', KEYS[2], 'MAXLEN', '~', '\(demandLines)', '*', 'i', ARGV[1], 'g', ARGV[2],
            'a', ARGV[5], 'r', ARGV[6], 'l', ARGV[7], 'n', KEYS[3] and '1' or '0')
        redis.call('PEXPIRE', KEYS[2], ARGV[4])
        return 'ok'
        """
    )
}
