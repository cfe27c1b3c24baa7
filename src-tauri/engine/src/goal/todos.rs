//! The to-do list between its two authors. The model writes the whole list with each signal; an open to-do ends by being
//! completed or cancelled, never by being left out, be it forgotten or given another id. What the user added or changed is the
//! user's: the model may work it off, and nothing else. It cannot drop, cancel, rename or reopen it.

use std::collections::BTreeSet;

use crate::protocol::{GoalState, MAX_TODOS, Todo, TodoStatus};

/// Longest id and title, in characters.
const ID: usize = 40;
const TITLE: usize = 200;

/// The list that comes of a signal: the model's, with the user's to-dos as the user left them. What the model left out and
/// may not, the user's and whatever is open, follows what it kept.
pub fn merged(goal: &GoalState, wanted: &[Todo]) -> Vec<Todo> {
    let kept = |id: &str| goal.todos.iter().find(|todo| todo.id == *id && is_users(goal, id));
    let mut list: Vec<Todo> = wanted
        .iter()
        .map(|todo| match kept(&todo.id) {
            Some(users) => Todo { status: worked_off(users.status, todo.status), ..users.clone() },
            None => todo.clone(),
        })
        .collect();
    let left_out = goal.todos.iter().filter(|todo| is_users(goal, &todo.id) || todo.status.is_open());
    let left_out: Vec<Todo> =
        left_out.filter(|todo| !wanted.iter().any(|at| at.id == todo.id)).cloned().collect();
    list.extend(left_out);
    list
}

/// Why a list cannot be taken, in words for the model.
pub fn refusal(list: &[Todo]) -> Option<String> {
    (list.len() > MAX_TODOS).then(|| {
        format!(
            "with the open to-dos that it leaves out the list would have more than {MAX_TODOS}; keep their ids, and cancel \
             what is not to be done"
        )
    })
}

/// How a to-do of the user's may stand after the model's word.
fn worked_off(users: TodoStatus, wanted: TodoStatus) -> TodoStatus {
    match (users, wanted) {
        // The user gave it up, and only the user takes it up again.
        (TodoStatus::Cancelled, _) => users,
        (_, TodoStatus::Cancelled) => users,
        (_, TodoStatus::Pending | TodoStatus::InProgress | TodoStatus::Completed) => wanted,
    }
}

pub fn is_users(goal: &GoalState, id: &str) -> bool {
    goal.user_todos.iter().any(|users| users == id)
}

/// The open to-dos, by their ids.
pub fn open(goal: &GoalState) -> Vec<String> {
    goal.todos.iter().filter(|todo| todo.status.is_open()).map(|todo| todo.id.clone()).collect()
}

/// The user's list, and the ids that are the user's from now on; or what is wrong with it.
pub fn edited(goal: &GoalState, list: Vec<Todo>) -> Result<(Vec<Todo>, Vec<String>), &'static str> {
    let mut list = list;
    for todo in &mut list {
        todo.id = todo.id.trim().to_owned();
        todo.title = todo.title.trim().to_owned();
    }
    if list.len() > MAX_TODOS {
        return Err("A list holds 100 to-dos at most. Put some of them together.");
    }
    if list.iter().any(|todo| todo.title.is_empty() || todo.id.is_empty()) {
        return Err("Write what is to be done.");
    }
    if list.iter().any(|todo| todo.title.chars().count() > TITLE || todo.id.chars().count() > ID) {
        return Err("That is too long for a to-do. Say it in 200 characters.");
    }
    let ids: BTreeSet<&str> = list.iter().map(|todo| todo.id.as_str()).collect();
    if ids.len() != list.len() {
        return Err("Two to-dos have the same id.");
    }
    if !goal.todos.iter().all(|todo| ids.contains(todo.id.as_str())) {
        return Err("To-dos are not taken off the list. Cancel the ones that are not to be done.");
    }
    let touched = list.iter().filter(|todo| !goal.todos.contains(todo) || is_users(goal, &todo.id));
    let users = touched.map(|todo| todo.id.clone()).collect();
    Ok((list, users))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::goal::testing::goal;
    use crate::protocol::Priority;

    fn todo(id: &str, status: TodoStatus) -> Todo {
        Todo { id: id.to_owned(), title: format!("do {id}"), status, priority: Priority::Medium }
    }

    fn with(todos: Vec<Todo>, users: &[&str]) -> GoalState {
        let user_todos = users.iter().map(|id| (*id).to_owned()).collect();
        GoalState { todos, user_todos, ..goal() }
    }

    #[test]
    fn the_model_works_off_the_users_todos_and_nothing_else() {
        use TodoStatus::{Cancelled, Completed, InProgress, Pending};
        for (users, wanted, then) in [
            (Pending, Completed, Completed),
            (Pending, InProgress, InProgress),
            (Pending, Cancelled, Pending),
            (Cancelled, Pending, Cancelled),
            (Cancelled, Completed, Cancelled),
            (Completed, Pending, Pending),
        ] {
            let goal = with(vec![todo("a", users)], &["a"]);
            let renamed = Todo { title: "other".to_owned(), priority: Priority::Low, ..todo("a", wanted) };
            assert_eq!(merged(&goal, &[renamed]), [todo("a", then)], "{users:?} {wanted:?}");
        }
    }

    #[test]
    fn what_is_left_out_stays_where_it_is_open_or_the_users() {
        use TodoStatus::{Cancelled, Completed, InProgress, Pending};
        let list = vec![
            todo("a", Pending),
            todo("b", InProgress),
            todo("c", Completed),
            todo("d", Cancelled),
            todo("e", Completed),
        ];
        let goal = with(list, &["e"]);
        let renamed = Todo { title: "do a".to_owned(), ..todo("x", Pending) };
        let then = [renamed.clone(), todo("a", Pending), todo("b", InProgress), todo("e", Completed)];
        assert_eq!(merged(&goal, &[renamed]), then);
    }

    #[test]
    fn other_ids_each_time_do_not_make_it_grow_without_end() {
        let named = |letter: char| -> Vec<Todo> {
            (0..60).map(|at| todo(&format!("{letter}{at}"), TodoStatus::Pending)).collect()
        };
        let list = merged(&with(named('a'), &[]), &named('b'));
        assert_eq!(list.len(), 120);
        assert!(refusal(&list).unwrap().contains("keep their ids"));
        assert_eq!(refusal(&list[..MAX_TODOS]), None);
    }

    #[test]
    fn what_the_user_touched_is_the_users() {
        let before = with(vec![todo("a", TodoStatus::Pending), todo("b", TodoStatus::Pending)], &[]);
        let list = vec![
            todo("b", TodoStatus::Cancelled),
            todo("a", TodoStatus::Pending),
            todo(" n ", TodoStatus::Pending),
        ];
        let (list, users) = edited(&before, list).unwrap();
        assert_eq!(list[2].id, "n");
        assert_eq!(users, ["b", "n"]);
        assert!(edited(&before, vec![todo("a", TodoStatus::Pending)]).is_err());
        assert!(edited(&before, vec![todo("a", TodoStatus::Pending); 2]).is_err());
    }
}
