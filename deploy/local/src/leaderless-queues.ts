/**
 * Erlang code that a private node runs on each start. RabbitMQ writes the names of its quorum queues to disk with a
 * delay: a node that is killed within a second of a declaration has the queue, but not the location of its log. It then
 * starts a new log and waits for another member to start the election. A queue with a single member therefore never
 * gets a leader: it does not accept messages, and its consumers fail permanently. This code starts the election, which
 * does not affect queues that have their log. If the log of a name does not exist on disk, the name is registered again
 * first. The registration is on disk before the first message can be confirmed. Nothing is ever deleted. The code
 * repeats this until each queue has a leader, because nothing else elects one.
 *
 * A queue that is being declared has no leader either, but must not be started a second time: the declaration would
 * fail, and so would all later declarations of this name until the node restarts. Its process registers the name, so
 * the name is looked up first: a registered name without a process belongs to an earlier run.
 */
export const electLeaders = `
Lone = fun(Queue) -> amqqueue:is_quorum(Queue) andalso rabbit_amqqueue:get_quorum_nodes(Queue) =:= [node()] end,
Leaderless = fun() ->
  [Queue || Queue <- rabbit_amqqueue:list(), Lone(Queue),
    ra_leaderboard:lookup_leader(element(1, amqqueue:get_pid(Queue))) =:= undefined]
end,
BeginAnew = fun(Queue, Name, Id, Register) ->
  case filelib:is_file(filename:join(ra_env:server_data_dir(quorum_queues, Id), "config")) of
    true -> ok;
    false -> dets:delete(Register, Name)
  end,
  rabbit_quorum_queue:recover(element(2, amqqueue:get_name(Queue)), [Queue])
end,
Elect = fun(Queue) ->
  {Name, _} = Member = amqqueue:get_pid(Queue),
  #{names := #{directory_rev := Register}} = ra_system:fetch(quorum_queues),
  Id = ra_directory:uid_of(quorum_queues, Name),
  case Id =/= undefined andalso whereis(Name) =:= undefined of
    true -> BeginAnew(Queue, Name, Id, Register);
    false -> ok
  end,
  dets:sync(Register),
  ra:trigger_election(Member)
end,
Look = fun Look() ->
  case catch Leaderless() of
    [] -> ok;
    Queues when is_list(Queues) ->
      [catch Elect(Queue) || Queue <- Queues],
      timer:sleep(500),
      Look();
    Failure ->
      logger:warning("cannot look for queues without a leader: ~p", [Failure]),
      timer:sleep(500),
      Look()
  end
end,
spawn(fun() ->
  rabbit:await_startup(),
  Look()
end).
`;
