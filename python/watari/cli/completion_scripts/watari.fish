# fish completion of watari, written by `watari completion fish`

function __watari_words # words that may follow these words
    switch "$argv[1]"
@BRANCHES@
    end
end

function __watari
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    if test (count $words) -le 1
        __watari_words ''
        return
    end
    set -l list
    if string match -q -- '--*' $words[-1]
        set list (__watari_words "$words[2] $words[-1]")
        if test -n "$list"
            printf '%s\n' $list
            contains -- $words[-1] --plan --machine; and __fish_complete_path $current
            return
        end
    end
    if contains $words[2] run predict advise; and string match -q -- '*=*' $current
        set -l axis (string replace -r '=.*' '=' -- $current)
        set -l before (string replace -r '[^=,]*$' '' -- $current)
        for word in (__watari_words "run $words[3] $axis")
            echo $before$word
        end
        test $axis = folder=; and __fish_complete_directories $current
        return
    end
    if test (count $words) -ge 3; and not string match -q -- '-*' $words[3]
        set list (__watari_words "$words[2] $words[3]")
    end
    test -n "$list"; or set list (__watari_words $words[2])
    printf '%s\n' $list
    test $words[2] != list; and __fish_complete_path $current
end

complete -c watari -f -a '(__watari)'
