//! The small functions behind the rules: each adds findings to a failure, or vetoes its rule with `None`.
//! They look at the command's words and at the machine, and change nothing.

mod build;
mod development;
mod files;
mod git;
mod hosts;
mod libraries;
mod node;
mod options;
mod outputs;
mod packages;
mod programs;
mod projects;
mod python;
mod system;
mod typed;

use super::case::Case;
use super::template::Findings;

pub(super) use programs::is_builtin;

/// Adds findings; `None` means that the rule does not fit after all.
pub(super) type Function = fn(&Case<'_>, &mut Findings) -> Option<()>;

/// The function that a table means by `name`.
pub(super) fn function(name: &str) -> Option<Function> {
    let function: Function = match name {
        "known_folder" => files::known_folder,
        "missing_parent" => files::missing_parent,
        "output_redirect" => outputs::output_redirect,
        "missing_folder" => files::missing_folder,
        "near_input" => files::near_input,
        "near_operand" => files::near_operand,
        "build_folder" => files::build_folder,
        "script_here" => files::script_here,
        "unfinished_block" => typed::unfinished_block,
        "blank_before_option" => typed::blank_before_option,
        "quote_parentheses" => typed::quote_parentheses,
        "near_keyword" => typed::near_keyword,
        "near_scheme" => typed::near_scheme,
        "near_runnable_module" => python::near_runnable_module,
        "git_near_range" => git::near_range,
        "git_new_branch" => git::new_branch,
        "near_image" => projects::near_image,
        "postgres_options" => projects::postgres_options,
        "near_folder" => files::near_folder,
        "folder_exists" => files::folder_exists,
        "mkdir_parents" => files::mkdir_parents,
        "own_script" => files::own_script,
        "crlf_script" => files::crlf_script,
        "interpreter" => files::interpreter,
        "rmdir_to_rm" => files::rmdir_to_rm,
        "copy_folder" => files::copy_folder,
        "own_file" => files::own_file,
        "archive_filter" => files::archive_filter,
        "bsd_sed" => files::bsd_sed,
        "new_place" => outputs::new_place,
        "apt_near_operation" => system::apt_near_operation,
        "output_folder" => outputs::output_folder,
        "output_of_command" => outputs::output_of_command,
        "as_typed" => files::as_typed,
        "not_in_command" => programs::not_in_command,
        "apt" => programs::apt,
        "docker_compose_program" => system::docker_compose_program,
        "near_program" => programs::near_program,
        "substitute" => programs::substitute,
        "package" => programs::package,
        "package_elsewhere" => programs::package_elsewhere,
        "drop_sudo" => programs::drop_sudo,
        "add_sudo" => programs::add_sudo,
        "sudo" => programs::sudo,
        "in_program_word" => programs::in_program_word,
        "near_option" => options::near_option,
        "suggested_word" => options::suggested_word,
        "git_init" => git::init,
        "git_last" => git::last_in_list,
        "git_upstream" => git::upstream,
        "git_pull_first" => git::pull_first,
        "git_existing_branch" => git::existing_branch,
        "git_same_branch" => git::same_branch,
        "git_near_ref" => git::near_ref,
        "git_near_file" => git::near_file,
        "git_near_remote" => git::near_remote,
        "git_similar_command" => git::similar_command,
        "git_force_delete" => git::force_delete,
        "git_lock" => git::lock,
        "git_set_url" => git::set_url,
        "git_same_clone" => git::same_clone,
        "git_prefix" => git::prefix,
        "python_package" => python::package,
        "python_source_path" => python::source_path,
        "python_environment" => python::environment,
        "python_activate" => python::activate,
        "npm_near_script" => node::near_script,
        "npm_folder" => node::folder,
        "npm_listed" => node::listed,
        "npm_not_installed" => node::not_installed,
        "npm_near_command" => node::near_command,
        "npm_legacy_peers" => node::legacy_peers,
        "npm_ci_to_install" => node::ci_to_install,
        "node_near_file" => node::near_file,
        "cargo_folder" => build::cargo_folder,
        "make_folder" => build::make_folder,
        "make_near_target" => build::make_near_target,
        "header_package" => build::header_package,
        "library_package" => build::library_package,
        "link_maths" => build::link_maths,
        "next_port" => system::next_port,
        "near_unit" => system::near_unit,
        "apt_update" => system::apt_update,
        "apt_yes" => system::apt_yes,
        "docker_near_command" => system::docker_near_command,
        "sole" => system::sole,
        "near_dockerfile" => projects::near_dockerfile,
        "lowercase_name" => projects::lowercase_name,
        "container_word" => projects::container_word,
        "compose_folder" => projects::compose_folder,
        "mysql_unit" => projects::mysql_unit,
        "redis_start" => projects::redis_start,
        "manage_py" => projects::manage_py,
        "go_module" => projects::go_module,
        "java_home" => projects::java_home,
        "project_folder" => projects::project_folder,
        "build_tool" => projects::build_tool,
        "rust_component" => projects::rust_component,
        "git_current_branch" => projects::git_current_branch,
        "git_other_branch" => projects::git_other_branch,
        "pytest_plugin" => projects::pytest_plugin,
        "python_project_folder" => projects::python_project_folder,
        "package_script" => projects::package_script,
        "make_configure" => projects::make_configure,
        "make_makefile" => projects::make_makefile,
        "cpp_standard" => projects::cpp_standard,
        "unpacker" => projects::unpacker,
        "python_as_module" => projects::as_module,
        "python_pip" => projects::pip,
        "pkg_config_package" => libraries::pkg_config,
        "cmake_package" => libraries::cmake,
        "build_tool_package" => libraries::build_tool,
        "package_of_helper" => libraries::helper,
        "php_extension" => libraries::php_extension,
        "perl_package" => libraries::perl,
        "mount_package" => libraries::mount,
        "straight_quotes" => typed::straight_quotes,
        "missing_blank" => typed::missing_blank,
        "tee_mode" => typed::tee_mode,
        "close_quote" => typed::close_quote,
        "find_type" => typed::find_type,
        "folder_of_file" => typed::folder_of_file,
        "noexec_script" => typed::noexec_script,
        "near_account" => hosts::near_account,
        "home_top" => hosts::home_top,
        "pacman_letter" => hosts::pacman_letter,
        "other_family_package" => hosts::other_family_package,
        "manager_here" => hosts::manager_here,
        "cargo_package" => hosts::cargo_package,
        "free_high_port" => system::free_high_port,
        _ => return None,
    };
    Some(function)
}
